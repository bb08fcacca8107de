/**
 * Goal: at a server where people have their own logins, each call has the account of the person behind its run, under load,
 * by every trigger, and after the death of a worker; a call without a login is not sent, and waits for it. Method: real processes, a real
 * authorization server, and a real MCP server that says who called, and on whose session.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';

import { type AccountTools, startAccountTools } from '@baton/orchestrator/testing/accounts';
import { AccountAuthority, appFile, soon } from '@baton/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { callOf, gatewayByHand, resultOf, runOf, textOf } from './gatewayByHand.ts';
import { Installation, outputOf } from './installation.ts';

let authority: AccountAuthority;
let tools: AccountTools;
let baton: Installation;
let ana: PersonHere;
let bob: PersonHere;

interface PersonHere {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  api(method: string, path: string, body?: object | string): ReturnType<Installation['api']>;
  /** The id of the run. */
  start(workflow: string, inputs?: object): Promise<string>;
}

const look = `workflow: look
steps: [{ id: who, tool: gh/whoami }]
outputs: { who: "\${{ steps.who.text }}" }
`;
const parent = `workflow: parent
steps:
  - { id: child, workflow: look }
  - { id: all, forEach: "\${{ [1, 2] }}", steps: [{ id: one, workflow: look }] }
outputs: { who: "\${{ steps.child.output.who }}" }
`;
const write = `workflow: write
inputs: { text: { type: string } }
steps: [{ id: wrote, tool: gh/write, with: { text: "\${{ inputs.text }}" } }]
`;
const away = `workflow: away
steps: [{ id: who, tool: gh/whoami }, { id: wrote, tool: gh/write, with: { text: away } }]
`;

const duty = `workflow: duty
steps: [{ id: who, tool: gh/whoami }]
`;
const changedDuty = `workflow: duty
steps: [{ id: wrote, tool: gh/write, with: { text: changed } }]
`;
const between = `workflow: between
steps: [{ id: child, workflow: duty }]
`;
const nightly = `workflow: nightly
on: [{ webhook: told, scheme: gitlab, secret: TOLD_HOOK }]
steps: [{ id: all, forEach: "\${{ [1] }}", steps: [{ id: child, workflow: between }] }]
`;

async function personHere(name: string): Promise<PersonHere> {
  const { body } = await baton.api('POST', '/v1/people', { name, grants: [{ role: 'author' }] });
  const id = String(body['id']);
  const scopes = ['runs:read', 'runs:write', 'workflows:write', 'servers:read', 'questions:answer'];
  const made = await baton.api('POST', '/v1/keys', { name: `key of ${name}`, scopes, person: id });
  const key = String(made.body['key']);
  const api: PersonHere['api'] = (method, path, given) => {
    return baton.api(method, path, given, { authorization: `Bearer ${key}` });
  };
  const start: PersonHere['start'] = async (workflow, inputs = {}) => {
    const begun = await api('POST', `/v1/workflows/${workflow}/runs`, { inputs });
    return String(begun.body['id']);
  };
  return { id, name, key, api, start };
}

/** What the command says on stderr. */
async function commandOf({ key }: PersonHere, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, BATON_URL: baton.url, BATON_API_KEY: key };
  return (await promisify(execFile)(process.execPath, [appFile('cli'), ...args], { env })).stderr;
}

/** As the person at their browser, with the account of their name. */
async function logIn({ name, api }: Pick<PersonHere, 'name' | 'api'>): Promise<void> {
  const { body } = await api('POST', '/v1/servers/gh/login');
  const back = await authority.agree(String(body['url']), name);
  const page = await (await fetch(back)).text();
  const [, link] = /href="([^"]*)"/.exec(page) ?? [];
  if (link === undefined) throw new Error(page);
  const finished = await fetch(new URL(link.replaceAll('&#38;', '&'), back));
  expect(await finished.text()).toContain('may use the server "gh" now');
}

beforeAll(async () => {
  authority = await AccountAuthority.start();
  tools = await startAccountTools(authority);
  const gh = { url: tools.url, baton: { auth: { per: 'person' }, origins: [authority.issuer] } };
  baton = await Installation.start({ servers: { gh }, workers: 2 });
  [ana, bob] = [await personHere('ana'), await personHere('bob')];
  for (const person of [ana, bob]) await logIn(person);
  for (const text of [look, parent, write, away]) {
    const { status, body } = await ana.api('POST', '/v1/workflows', text);
    if (status !== 201) throw new Error(JSON.stringify(body));
  }
});

beforeEach(() => {
  tools.onWrite = async () => undefined;
});

afterAll(async () => {
  await baton.stop();
  await tools.close();
  await authority.close();
});

const loginsOf = async (runId: string): Promise<unknown[]> => {
  const { steps } = await baton.client.runs.get(runId);
  return steps.flatMap(({ attempts }) => attempts.map(({ login }) => login));
};

test('runs of two people at once call with the account of each, and never on a session of the other', async () => {
  const people = [ana, bob];
  const runs = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      const person = people[n % 2] ?? ana;
      const run = await baton.ended(await person.start(n % 3 === 0 ? 'parent' : 'look'));
      return { person: person.name, status: run.status, who: outputOf(run, 'who') };
    }),
  );
  expect(runs.filter(({ person, status, who }) => status !== 'succeeded' || who !== person)).toEqual([]);
  expect(tools.mixed).toEqual([]);
});

test('the end of a call says whose login it used', async () => {
  const run = await bob.start('look');
  await baton.ended(run);
  expect(await loginsOf(run)).toEqual([`bob (${bob.id})`]);
  const { body } = await baton.api('GET', '/v1/audit/calls?server=gh&limit=1');
  expect(body['data']).toMatchObject([{ login: `bob (${bob.id})` }]);
});

test('after the death of a worker in the middle of writes, others go on with the account of each person', async () => {
  const stuck = Promise.withResolvers<void>();
  tools.onWrite = async () => stuck.promise;
  const before = tools.written.length;
  const runs = await Promise.all([ana, bob, ana, bob].map((person, n) => person.start('write', { text: `t${n}` })));
  await soon(() => expect(tools.written.length).toBe(before + 4));
  const reading = await Promise.all([ana, bob].map((person) => person.start('parent')));
  const [first] = baton.workers;
  await first?.kill('SIGKILL');
  await baton.startWorker();
  stuck.resolve();
  const read = await Promise.all(reading.map((run) => baton.ended(run)));
  expect(read.map((run) => outputOf(run, 'who'))).toEqual(['ana', 'bob']);
  await Promise.all(runs.map((run) => baton.ended(run)));
  const wrote = tools.written.slice(before).map(({ account, text }) => `${account} ${text}`);
  expect(wrote.toSorted()).toEqual(['ana t0', 'ana t2', 'bob t1', 'bob t3']);
  expect(tools.mixed).toEqual([]);
});

test('the gateway lists and calls with the login of each client', async () => {
  const { post, open } = gatewayByHand(() => baton.url);
  for (const { key, name, id } of [ana, bob]) {
    const session = await open(key);
    const listed = JSON.stringify(await (await post(key, { method: 'tools/list' }, session)).text());
    expect(listed).toContain(`only-${name}`);
    expect(listed).not.toContain(`only-${name === 'ana' ? 'bob' : 'ana'}`);
    const result = await resultOf(await post(key, callOf('gh__whoami', {}), session));
    expect(textOf(result)).toContain(name);
    expect(await loginsOf(runOf(result))).toEqual([`${name} (${id})`]);
  }
  expect(tools.mixed).toEqual([]);
});

test('a run whose person has no login waits for it, sends nothing meanwhile, and goes on once by itself', async () => {
  const cy = await personHere('cy');
  const before = tools.written.length;
  const run = await cy.start('write', { text: 'late' });
  await soon(async () => {
    expect(await baton.run(run)).toMatchObject({ status: 'waiting' });
  });
  const { body } = await cy.api('GET', `/v1/runs/${run}/events`);
  expect(JSON.stringify(body)).toContain('"login":"cy"');
  const awaited = async ({ api }: PersonHere) => (await api('GET', '/v1/logins')).body['data'];
  expect(await awaited(cy)).toMatchObject([{ server: 'gh', runs: 1 }]);
  expect(await awaited(ana)).toEqual([]);
  expect(await commandOf(cy, 'answer')).toBe(
    'There are no open questions.\n1 run of yours waits until you log in: baton servers login gh\n',
  );
  await logIn(cy);
  expect(await awaited(cy)).toEqual([]);
  expect(await baton.ended(run)).toMatchObject({ status: 'succeeded' });
  expect(tools.written.slice(before)).toEqual([{ account: 'cy', text: 'late' }]);
  expect(await loginsOf(run)).toEqual([`cy (${cy.id})`]);
});

test('The gateway tells a client whose person has no login at once who has to log in.', async () => {
  const dan = await personHere('dan');
  const { post, open } = gatewayByHand(() => baton.url);
  const session = await open(dan.key);
  const answer = await (await post(dan.key, callOf('gh__whoami', {}), session)).text();
  expect(answer).toContain('dan has to log in: baton servers login gh');
});

test('a retry goes on with the login of who asks for it', async () => {
  const eve = await personHere('eve');
  const before = tools.written.length;
  const run = await eve.start('away');
  await soon(async () => {
    expect(await baton.run(run)).toMatchObject({ status: 'waiting' });
  });
  await eve.api('POST', `/v1/runs/${run}/cancel`, {});
  await baton.ended(run);
  const { body } = await ana.api('POST', `/v1/runs/${run}/retry`, {});
  expect(await baton.ended(String(body['id']))).toMatchObject({ status: 'succeeded' });
  expect(tools.written.slice(before)).toEqual([{ account: 'ana', text: 'away' }]);
});

test('What another person deployed after the workflow of a trigger does not use its account, until its deployer agrees.', async () => {
  const token = 'only for this test, and nothing else';
  await baton.api('PUT', '/v1/secrets/TOLD_HOOK', { value: token });
  const deploy = async (person: PersonHere, text: string) => {
    const { status, body } = await person.api('POST', '/v1/workflows', text);
    if (status !== 201 && status !== 200) throw new Error(JSON.stringify(body));
  };
  const triggered = async () => {
    const headers = { 'x-gitlab-token': token, 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    const { body } = await baton.api('POST', '/v1/hooks/nightly/told', {}, headers);
    return baton.ended(String(body['id']));
  };
  for (const text of [duty, between, nightly]) await deploy(ana, text);
  expect(await triggered()).toMatchObject({ status: 'succeeded' });
  const before = tools.written.length;
  await deploy(bob, changedDuty);
  expect(await triggered()).toMatchObject({ status: 'failed' });
  const { body } = await baton.api('GET', '/v1/runs?workflow=duty&status=failed');
  expect(JSON.stringify(body)).toContain(
    'bob deployed duty 2 after ana had deployed nightly 1: ana’s login is not used for it. ana deploys nightly again, or runs it.',
  );
  expect(tools.written.slice(before)).toEqual([]);

  expect(await baton.ended(await ana.start('nightly'))).toMatchObject({ status: 'succeeded' });
  expect(tools.written.slice(before)).toEqual([{ account: 'ana', text: 'changed' }]);

  await deploy(ana, nightly);
  expect(await triggered()).toMatchObject({ status: 'succeeded' });
  expect(tools.written.slice(before + 1)).toEqual([{ account: 'ana', text: 'changed' }]);
});
