import { routes } from '@baton/api';
import { control, Roles } from '@baton/control';
import { advance } from '@baton/runner';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { overMcp } from '../../testing/overMcp.ts';
import { type TestAnswer, type TestApp, openTestApp } from '../../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;

const writing = 'steps: [{ sample: { append: Hello } }]';

beforeAll(async () => {
  store = await freshStore();
  const roles = new Roles({
    lead: ['people:write', 'runs:read', 'runs:write', 'runs:values'],
    starter: ['runs:write', 'runs:values'],
  });
  app = await openTestApp(store, store.url, { parts: { roles } });
  for (const workflow of ['pay', 'hire']) await app.deploy(`workflow: ${workflow}\n${writing}\n`);
});

afterAll(async () => {
  await app.close();
  await store.close();
});

interface Grant {
  readonly role: string;
  readonly on?: readonly string[];
  readonly effects?: string;
}

interface Browser {
  readonly id: string;
  readonly cookie: string;
  ask(what: string, json?: object): Promise<TestAnswer>;
}

const cookieOf = ({ headers }: TestAnswer): string => String(headers['set-cookie']).split(';')[0] ?? '';

const logIn = (code: unknown, headers: Record<string, string> = {}) =>
  app.ask('POST /v1/session', { key: '', json: { code: String(code) }, headers });

const linkOf = async (id: string): Promise<string> => {
  const { status, body } = await app.ask(`POST /v1/people/${id}/links`);
  expect(status).toBe(201);
  return String(body['code']);
};

async function browserOf(name: string, grants: readonly Grant[]): Promise<Browser> {
  const added = await app.ask('POST /v1/people', { json: { name, grants } });
  expect(added.status).toBe(201);
  const id = String(added.body['id']);
  const cookie = cookieOf(await logIn(await linkOf(id)));
  const headers = { cookie, 'sec-fetch-site': 'same-origin' };
  return { id, cookie, ask: (what, json) => app.ask(what, { key: '', headers, ...(json && { json }) }) };
}

const statusOf = async (answer: Promise<TestAnswer>): Promise<number> => (await answer).status;

test('A link logs a person in once, in a session of its own, also where the browser had a cookie before', async () => {
  const ana = await browserOf('ana', [{ role: 'viewer', on: ['pay'] }]);
  expect(await ana.ask('GET /v1/session')).toMatchObject({
    body: { person: { id: ana.id, name: 'ana' }, scopes: ['runs:read', 'servers:read'], workflows: ['pay'] },
  });
  const code = await linkOf(ana.id);
  const [first, second] = await Promise.all([logIn(code, { cookie: ana.cookie }), logIn(code)]);
  expect(new Set([first.status, second.status])).toEqual(new Set([200, 401]));
  const began = [first, second].find(({ status }) => status === 200);
  expect(began === undefined ? '' : cookieOf(began)).not.toBe(ana.cookie);
  // The id of a person is no key.
  expect(await statusOf(app.ask('GET /v1/runs', { key: ana.id }))).toBe(401);
});

test('A link is void when it is too old, and when the grants of its person change', async () => {
  const { id } = await browserOf('old', [{ role: 'viewer' }]);
  const old = await linkOf(id);
  await store.pool.query(`update login_code set expires_at = now() where key_id = $1`, [id]);
  expect(await statusOf(logIn(old))).toBe(401);
  const before = await linkOf(id);
  expect(await statusOf(app.ask(`POST /v1/people/${id}/grants`, { json: { role: 'operator' } }))).toBe(200);
  expect(await statusOf(logIn(before))).toBe(401);
});

test('A person who is removed has no session, no link and no key from then on, and none comes back with them', async () => {
  const gone = await browserOf('gone', [{ role: 'operator' }]);
  const key = await app.ask('POST /v1/keys', { json: { name: 'of gone', scopes: ['runs:read'], person: gone.id } });
  const text = String(key.body['key']);
  expect(await statusOf(app.ask('GET /v1/runs', { key: text }))).toBe(200);
  const link = await linkOf(gone.id);
  expect(await statusOf(app.ask(`DELETE /v1/people/${gone.id}`))).toBe(204);
  expect(await statusOf(gone.ask('GET /v1/runs'))).toBe(401);
  expect(await statusOf(app.ask('GET /v1/runs', { key: text }))).toBe(401);
  expect(await statusOf(logIn(link))).toBe(401);
  expect(await statusOf(app.ask(`GET /v1/people/${gone.id}`))).toBe(404);
  expect(await statusOf(app.ask(`POST /v1/people/${gone.id}/restore`))).toBe(200);
  expect(await statusOf(gone.ask('GET /v1/runs'))).toBe(401);
  expect(await statusOf(app.ask('GET /v1/runs', { key: text }))).toBe(401);
  expect(await statusOf(logIn(await linkOf(gone.id)))).toBe(200);
});

test('An operation is allowed if one grant allows all of it, and the rights of two grants never add up', async () => {
  const both = await browserOf('both', [
    { role: 'operator', on: ['pay'], effects: 'read' },
    { role: 'starter', on: ['hire'] },
    { role: 'viewer' },
  ]);
  // `hire` by the second, and `pay` not beyond the effects of the first.
  expect(await statusOf(both.ask('POST /v1/workflows/hire/runs', {}))).toBe(202);
  expect(await statusOf(both.ask('POST /v1/workflows/pay/runs', {}))).toBe(403);
  // The third sees all workflows, and starts none: nor one of its own text, which may have any name.
  const inline = { workflow: 'hire', steps: [{ sample: { append: 'x' } }] };
  expect(await statusOf(both.ask('POST /v1/runs', { workflow: inline }))).toBe(403);
  expect(await both.ask('GET /v1/workflows')).toMatchObject({ body: { data: [{ id: 'hire' }, { id: 'pay' }] } });
  const { body } = await both.ask('GET /v1/runs');
  const [{ id = '' } = {}] = body['data'] as { id?: string }[];
  expect(await statusOf(both.ask(`POST /v1/runs/${id}/cancel`))).toBe(202);
  const paid = await app.ask('POST /v1/workflows/pay/runs', { json: {} });
  expect(await statusOf(both.ask(`GET /v1/runs/${String(paid.body['id'])}`))).toBe(200);
});

test('A person gives no right that they do not have, and handles no person who has more', async () => {
  const lead = await browserOf('lead', [{ role: 'lead', on: ['pay'], effects: 'read' }]);
  const boss = await browserOf('boss', [{ role: 'admin' }]);
  const viewer = { role: 'starter', on: ['pay'], effects: 'read' };
  for (const grant of [
    { role: 'admin' },
    { ...viewer, role: 'author' },
    { ...viewer, on: ['hire'] },
    { ...viewer, on: ['pay', 'hire'] },
    { role: 'starter', effects: 'read' },
    { role: 'starter', on: ['pay'] },
  ])
    expect([grant, await statusOf(lead.ask('POST /v1/people', { name: 'evil', grants: [grant] }))]).toEqual([
      grant,
      403,
    ]);
  expect(await statusOf(lead.ask(`POST /v1/people/${lead.id}/grants`, { role: 'lead', on: ['pay'] }))).toBe(403);
  for (const what of ['GET /v1/people/:id', 'POST /v1/people/:id/links', 'DELETE /v1/people/:id'])
    expect([what, await statusOf(lead.ask(what.replace(':id', boss.id)))]).toEqual([what, 404]);
  expect(await statusOf(lead.ask(`POST /v1/people/${boss.id}/grants`, viewer))).toBe(404);
  expect((await lead.ask('GET /v1/people')).text).not.toContain('boss');
  expect(await lead.ask('POST /v1/people', { name: 'kim', grants: [viewer] })).toMatchObject({
    status: 201,
    body: { createdBy: `lead (${lead.id})`, grants: [{ ...viewer, from: 'here' }] },
  });
});

test('A grant with an unknown role, or with a limit that has no effect, says what is wrong', async () => {
  const detailOf = async (grant: object) =>
    (await app.ask('POST /v1/people', { json: { name: 'x', grants: [grant] } })).body['errors'];
  expect(await detailOf({ role: 'autor' })).toMatchObject([
    { pointer: '/grants/0/role', message: expect.stringContaining('did you mean "author"?') as string },
  ]);
  expect(await detailOf({ role: 'admin', on: ['pay'] })).toMatchObject([{ pointer: '/grants/0/on' }]);
  expect(await detailOf({ role: 'admin', effects: 'read' })).toMatchObject([{ pointer: '/grants/0/effects' }]);
  const named = await app.ask('POST /v1/people', { json: { name: 'ana (person-1)' } });
  expect(named).toMatchObject({ status: 422, body: { errors: [{ pointer: '/name' }] } });
  expect(await statusOf(app.ask('POST /v1/people', { json: { name: 'ana' } }))).toBe(409);
});

test('A key of a person may do what both may, and the audit names the person, and the key as the means', async () => {
  const { id } = await browserOf('zoe', [{ role: 'operator', on: ['pay'] }]);
  const made = await app.ask('POST /v1/keys', { json: { name: 'of zoe', scopes: ['admin'], person: id } });
  expect(made.body).toMatchObject({ person: id });
  const key = String(made.body['key']);
  expect(await statusOf(app.ask('GET /v1/keys', { key }))).toBe(403);
  expect(await statusOf(app.ask('POST /v1/workflows/hire/runs', { key, json: {} }))).toBe(404);
  const { body } = await app.ask('POST /v1/workflows/pay/runs', { key, json: {} });
  const run = await app.ask(`GET /v1/runs/${String(body['id'])}`);
  expect(run.body['by']).toBe(`zoe (${id}) via of zoe (${String(made.body['id'])})`);
  await app.ask('POST /v1/workflows/pay/pause', { key });
  const entries = await app.ask(`GET /v1/audit?by=${id}&action=workflow.paused`);
  expect(entries.body).toMatchObject({ data: [{ by: `zoe (${id})`, via: `of zoe (${String(made.body['id'])})` }] });
  expect(await statusOf(app.ask('POST /v1/keys', { json: { name: 'n', scopes: ['admin'], person: 'none' } }))).toBe(
    422,
  );
});

const canary = 'quetzal';

/** A run that was given, called, got, asked and failed with the canary; and one that still asks. */
async function runsWithValues(): Promise<{ readonly over: string; readonly asking: string }> {
  expect(
    await app.deploy('workflow: told\ninputs: { a: { type: string } }\nsteps: [{ id: ok, ask: Go on? }]\n'),
  ).toMatchObject({ body: { id: 'told' } });
  const value = { json: canary };
  const failure = { code: 'tool-error', message: canary, details: canary, step: 'call' };
  const call = {
    verb: 'tool',
    server: 's',
    tool: 't',
    effect: 'write',
    arguments: value,
    idempotencyKey: canary,
  } as const;
  const question = { message: canary, form: { type: 'object', properties: {}, title: canary } };
  const awaiting = { for: 'answer', question } as const;
  const start = async (): Promise<string> => {
    const trigger = { json: { inputs: { a: canary }, tags: ['shown'] } };
    const id = String((await app.ask('POST /v1/workflows/told/runs', trigger)).body['id']);
    await advance(store.journal, id, ({ at }) => [
      { type: 'run.claimed', at, worker: 'w1', claim: 1 },
      { type: 'signal.received', at, name: 'go', payload: canary, by: 'test' },
      { type: 'step.started', at, path: 'call', verb: 'tool', attempt: 1, call },
      { type: 'step.progressed', at, path: 'call', attempt: 1, progress: 1, message: canary },
    ]);
    return id;
  };
  const over = await start();
  await advance(store.journal, over, ({ at }) => [
    { type: 'step.failed', at, path: 'call', verb: 'tool', attempt: 1, failure },
    { type: 'run.finished', at, status: 'failed', failure },
  ]);
  const asking = await start();
  await advance(store.journal, asking, ({ at }) => [
    { type: 'step.succeeded', at, path: 'call', verb: 'tool', attempt: 1, value },
    { type: 'step.waiting', at, path: 'ok', verb: 'ask', attempt: 1, awaiting },
    { type: 'run.waiting', at },
  ]);
  return { over, asking };
}

type Name = keyof typeof control;

const bodies: Partial<Record<Name, object>> = {
  evaluateRun: { expression: 'inputs' },
  checkWorkflow: { workflow: 'x', steps: [{ set: {} }] },
};
const queries: Partial<Record<Name, string>> = {
  getRunHistogram: '?from=2026-01-01T00:00:00Z&to=2099-01-01T00:00:00Z',
};

/** Each operation for which a viewer has a scope, about the run. */
async function answersTo(browser: Browser, run: string): Promise<ReadonlyMap<string, TestAnswer>> {
  const answers = new Map<string, TestAnswer>();
  for (const name of Object.keys(control) as Name[]) {
    const { method, path } = routes[name];
    const needed = new Set<string>([control[name].route.access].flat());
    if (!needed.has('runs:read') && !needed.has('servers:read')) continue;
    const ids: Readonly<Record<string, string>> = { questions: `${run}:ok:1`, workflows: 'told' };
    const others: Readonly<Record<string, string>> = { version: '1', sha256: 'a'.repeat(64) };
    const filled = path.replaceAll(/:(\w+)/g, (_, member: string) =>
      member === 'id' ? (ids[path.split('/')[2] ?? ''] ?? run) : (others[member] ?? 's'),
    );
    const body = method === 'POST' ? (bodies[name] ?? {}) : undefined;
    answers.set(name, await browser.ask(`${method} ${filled}${queries[name] ?? ''}`, body));
  }
  return answers;
}

test('A viewer sees runs, steps, times and effects by each operation, and no value of a run by any', async () => {
  const { over, asking } = await runsWithValues();
  const viewer = await browserOf('vic', [{ role: 'viewer' }, { role: 'operator', on: ['pay'] }]);
  const operator = await browserOf('olga', [{ role: 'operator' }]);
  for (const run of [over, asking]) {
    const answers = await answersTo(viewer, run);
    expect([...answers].filter(([, { text }]) => text.includes(canary)).map(([name]) => name)).toEqual([]);
    for (const name of ['listRuns', 'getRun', 'listRunEvents', 'listEvents', 'listWorkflows', 'getRunHistogram'])
      expect([name, answers.get(name)?.status]).toEqual([name, 200]);
    expect(answers.get('getRun')?.body).toMatchObject({
      tags: ['shown'],
      valuesHidden: true,
      steps: expect.arrayContaining([expect.objectContaining({ path: 'call', verb: 'tool' })]) as unknown,
    });
    expect(answers.get('listRuns')?.body['data']).toContainEqual(
      expect.objectContaining({ id: run, valuesHidden: true }),
    );
    expect(answers.get('listRunEvents')?.text).toContain('"inputs":{"json":null,"hidden":true}');
    const seen = await answersTo(operator, run);
    for (const name of ['listRuns', 'getRun', 'listRunEvents'])
      expect([name, seen.get(name)?.text.match(/idden":true/)]).toEqual([name, null]);
    for (const name of ['listRuns', 'getRun', 'listRunEvents', 'evaluateRun'])
      expect([name, seen.get(name)?.text.includes(canary)]).toEqual([name, true]);
  }
  const made = await app.ask('POST /v1/keys', { json: { name: 'of vic', scopes: ['runs:read'], person: viewer.id } });
  for (const [tool, given] of [
    ['get_run', { id: over }],
    ['list_runs', { status: 'failed' }],
    ['list_runs', {}],
  ] as const) {
    const answer = await overMcp(app, String(made.body['key']), tool, given);
    expect(answer).not.toContain(canary);
    // A list over MCP has no values of runs at all.
    expect([tool, answer.includes('valuesHidden')]).toEqual([tool, tool === 'get_run']);
  }
  // A filter would find out letter by letter what a failure says.
  expect(await statusOf(viewer.ask(`GET /v1/runs?text=${canary}`))).toBe(403);
  expect(await statusOf(operator.ask(`GET /v1/runs?text=${canary}`))).toBe(200);
});

test('A stream of events has no values for a viewer, also where another reader gets them at the same time', async () => {
  const { over } = await runsWithValues();
  const viewer = await browserOf('eva', [{ role: 'viewer' }]);
  const headers = { cookie: viewer.cookie, 'sec-fetch-site': 'same-origin' };
  const url = `${await app.listen()}/v1/runs/${over}/events`;
  const read = async (more: Record<string, string>): Promise<string> =>
    (await fetch(url, { headers: { accept: 'text/event-stream', ...more } })).text();
  const key = await app.newKey(['runs:read']);
  const [hidden, shown] = await Promise.all([read(headers), read({ authorization: `Bearer ${key}` })]);
  expect(hidden).toContain('step.failed');
  expect(hidden).not.toContain(canary);
  expect(shown).toContain(canary);
});
