/** Logins of people at a server: whose calls use them, who may end them, and when they end. */
import { loginOf } from '@baton/protocol';
import { advance } from '@baton/runner';
import { storedAuthorizations } from '@baton/store';
import { type FreshStore, AuthorizedServer, freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { overMcp } from '../../testing/overMcp.ts';
import { type TestAnswer, type TestApp, openTestApp } from '../../testing/testApp.ts';
import { callbackPath } from './serverLogin.ts';

let store: FreshStore;
let remote: AuthorizedServer;
let app: TestApp;
let address: string;

beforeAll(async () => {
  store = await freshStore();
  remote = await AuthorizedServer.start();
  const servers = { gh: { url: remote.url, baton: { auth: { per: 'person' } } }, shared: { url: remote.url } };
  app = await openTestApp(store, store.url, { servers });
  address = await app.listen();
});

afterAll(async () => {
  await app.close();
  await remote.close();
  await store.close();
});

interface PersonKey {
  readonly id: string;
  readonly key: string;
  ask(what: string, json?: object): Promise<TestAnswer>;
}

async function personWith(name: string, role = 'author'): Promise<PersonKey> {
  const { body } = await app.ask('POST /v1/people', { json: { name, grants: [{ role }] } });
  const id = String(body['id']);
  const key = await app.newKey(['runs:read', 'runs:write', 'workflows:write', 'servers:read'], { person: id });
  return { id, key, ask: (what, json) => app.ask(what, { key, ...(json && { json }) }) };
}

const open = async (search: string): Promise<string> => (await fetch(`${address}${callbackPath}${search}`)).text();

/** Until the browser is asked whose login it is. */
async function agree(ask: PersonKey['ask']): Promise<{ readonly page: string; readonly again: string }> {
  const { status, body } = await ask('POST /v1/servers/gh/login');
  expect(status).toBe(200);
  const page = await open((await remote.agree(String(body['url']))).search);
  const [, link = ''] = /href="([^"]*)"/.exec(page) ?? [];
  return { page, again: link.replaceAll('&#38;', '&').replace(callbackPath, '') };
}

async function logIn(ask: PersonKey['ask']): Promise<void> {
  const { again } = await agree(ask);
  expect(await open(again)).toContain('may use the server "gh" now');
}

const tools = async (ask: PersonKey['ask']): Promise<number> => (await ask('GET /v1/servers/gh/tools')).status;

const namesKept = async (): Promise<readonly string[]> => {
  const { rows } = await store.pool.query<{ name: string }>(`select name from secret order by name`);
  return rows.map(({ name }) => name);
};

test('a person logs in without rights over servers, and no other caller has, sees or ends that login', async () => {
  const [ana, bob] = [await personWith('ana'), await personWith('bob')];
  await logIn(ana.ask);
  expect(await tools(ana.ask)).toBe(200);
  const without = await bob.ask('GET /v1/servers/gh/tools');
  expect(without.body).toMatchObject({
    type: 'urn:baton:problem:server-unauthorized',
    detail: expect.stringContaining('bob has to log in: baton servers login gh') as string,
  });
  expect((await bob.ask('POST /v1/servers/gh/logout')).body).toEqual({ status: 'not-logged-in' });
  expect((await app.ask('POST /v1/servers/gh/logout')).body).toEqual({ status: 'not-logged-in' });
  expect((await app.ask('GET /v1/servers/gh/tools')).status).toBe(502);
  expect(await tools(ana.ask)).toBe(200);
  for (const { ask } of [bob, { ask: (what: string) => app.ask(what) }])
    expect((await ask('GET /v1/servers')).text).not.toMatch(/token|person-/);
  expect((await ana.ask('POST /v1/servers/gh/logout')).body).toEqual({ status: 'logged-out' });
  expect(await tools(ana.ask)).toBe(502);
});

test('A person limited to some workflows is told that they have to log in, and whether they are, as long as they may.', async () => {
  const limited = async (name: string, role: string): Promise<PersonKey['ask']> => {
    const { body } = await app.ask('POST /v1/people', { json: { name, grants: [{ role, on: ['payments/*'] }] } });
    const key = await app.newKey(['runs:read', 'runs:write', 'workflows:write', 'servers:read'], {
      person: String(body['id']),
    });
    return (what, json) => app.ask(what, { key, ...(json && { json }) });
  };
  const lea = await limited('lea', 'author');
  const shown = async (ask: PersonKey['ask']) => (await ask('GET /v1/servers/gh')).body['ownLogin'];
  expect((await lea('GET /v1/servers/gh/tools')).body).toMatchObject({
    detail: 'lea has to log in: baton servers login gh. Nothing was sent.',
  });
  expect(await shown(lea)).toBe('absent');
  expect((await lea('GET /v1/servers')).body['data']).toMatchObject([
    { name: 'gh', ownLogin: 'absent' },
    { name: 'shared' },
  ]);
  expect((await lea('GET /v1/servers/shared')).body).not.toHaveProperty('ownLogin');
  expect(await shown((what) => app.ask(what))).toBeUndefined();
  await logIn(lea);
  expect(await shown(lea)).toBe('present');
  const vic = await limited('vic', 'viewer');
  expect(await shown(vic)).toBeUndefined();
});

test('the browser that comes back is asked whose login it is, and until it says so there is none', async () => {
  const cy = await personWith('cy <b>');
  const { page, again } = await agree(cy.ask);
  expect(page).toContain('Is this your login, cy &#60;b&#62;?');
  expect(page).not.toContain('<b>');
  expect(await tools(cy.ask)).toBe(502);
  expect(await open(again)).toContain('may use the server');
  expect(await tools(cy.ask)).toBe(200);
});

test('Where people have no logins of their own, only who has a right over servers may log Baton in.', async () => {
  const dan = await personWith('dan');
  for (const what of ['login', 'logout']) {
    expect((await dan.ask(`POST /v1/servers/shared/${what}`)).status).toBe(403);
    const key = await app.newKey(['runs:write', 'workflows:write']);
    expect((await app.ask(`POST /v1/servers/gh/${what}`, { key })).status).toBe(403);
    expect((await app.ask(`POST /v1/servers/nowhere/${what}`, { key })).status).toBe(403);
  }
});

test('a person who is removed loses their logins, and one that was under way ends with them', async () => {
  const [eve, fay] = [await personWith('eve'), await personWith('fay')];
  await logIn(eve.ask);
  await logIn(fay.ask);
  const own = (id: string): string => `oauth:gh~${loginOf(id)}`;
  expect(await namesKept()).toEqual(expect.arrayContaining([own(eve.id), own(fay.id)]));
  const { again } = await agree(eve.ask);
  expect((await app.ask(`DELETE /v1/people/${eve.id}`)).status).toBe(204);
  expect(await open(again)).toContain('The log-in failed');
  const kept = await namesKept();
  expect(kept).toContain(own(fay.id));
  expect(kept).not.toContain(own(eve.id));
  expect(await tools(fay.ask)).toBe(200);
});

const ended = async (): Promise<readonly string[]> => (await namesKept()).filter((name) => name.includes('~person-'));

const unrevoked = async (): Promise<readonly unknown[]> => {
  const { rows } = await store.pool.query<{ by: string; target: string; detail: { person: string; problem: string } }>(
    `select by, target, detail from audit_entry where action = 'server.unrevoked' order by seq`,
  );
  return rows;
};

/** The removal of another person makes the round begin at once. */
async function nextRound(): Promise<void> {
  const { id } = await personWith(`another ${Math.random()}`);
  await app.ask(`DELETE /v1/people/${id}`);
}

test('the tokens of a person who is removed are revoked at the server, also where it does not answer at first', async () => {
  const jo = await personWith('jo');
  await logIn(jo.ask);
  remote.revoked.length = 0;
  remote.odd = (path) => (path === '/revoke' ? { status: 503, text: '' } : undefined);
  onTestFinished(() => void (remote.odd = () => undefined));
  expect((await app.ask(`DELETE /v1/people/${jo.id}`)).status).toBe(204);
  await nextRound();
  expect(await ended()).toEqual([expect.stringContaining(`oauth:gh~${loginOf(jo.id)}~${jo.id}~`)]);
  expect(await storedAuthorizations(store, app.vault, 'x').load('gh', loginOf(jo.id))).toBeUndefined();
  remote.odd = () => undefined;
  await nextRound();
  await expect.poll(ended).toEqual([]);
  expect(remote.revoked.map(({ token_type_hint: hint }) => hint)).toEqual(['refresh_token', 'access_token']);
  expect(await unrevoked()).toEqual([]);
});

test.each([
  ['at a server that does not offer it', () => ({ status: 404, text: '' }), 'answered 404'],
  ['at a server that does not answer for an hour', () => ({ status: 503, text: '' }), 'answered 503'],
])('tokens that cannot be revoked, %s, are named in the audit, with why', async (what, answer, why) => {
  const kim = await personWith(`kim ${what}`);
  await logIn(kim.ask);
  remote.odd = (path) => (path === '/revoke' ? answer() : undefined);
  onTestFinished(() => void (remote.odd = () => undefined));
  const before = (await unrevoked()).length;
  expect((await app.ask(`DELETE /v1/people/${kim.id}`)).status).toBe(204);
  await store.pool.query(`update secret set created_at = created_at - interval '2 hours' where name like '%~person-%'`);
  await nextRound();
  await expect.poll(ended).toEqual([]);
  expect((await unrevoked()).slice(before)).toEqual([
    {
      by: expect.stringContaining('test (') as string,
      target: 'gh',
      detail: { person: kim.id, problem: expect.stringContaining(why) as string },
    },
  ]);
  expect((await app.ask('POST /v1/audit/verify')).body).toMatchObject({ isIntact: true });
});

test('what is stored of a login after the end of its person is not stored', async () => {
  const gil = await personWith('gil');
  const { status } = await app.ask(`DELETE /v1/people/${gil.id}`);
  expect(status).toBe(204);
  const authorizations = storedAuthorizations(store, app.vault, 'late');
  await authorizations.save('gh', 'token', loginOf(gil.id));
  expect(await authorizations.load('gh', loginOf(gil.id))).toBeUndefined();
});

const personOf = async (runId: unknown): Promise<unknown> => {
  const [first] = (await store.journal.open(String(runId)))?.events ?? [];
  return first?.type === 'run.requested' ? first.person : undefined;
};

test('a run has the logins of who asked for it, not of who deployed its workflow or began the run before', async () => {
  const [hal, ida] = [await personWith('hal'), await personWith('ida')];
  const source = 'workflow: pay\nsteps: [{ sample: { append: Hello } }]\n';
  const headers = { 'content-type': 'application/yaml' };
  expect((await app.ask('POST /v1/workflows', { key: hal.key, headers, payload: source })).status).toBe(201);
  const start = async ({ ask }: PersonKey) => (await ask('POST /v1/workflows/pay/runs', {})).body['id'];
  expect(await personOf(await start(hal))).toEqual({ id: hal.id, name: 'hal' });
  const run = await start(ida);
  expect(await personOf(run)).toEqual({ id: ida.id, name: 'ida' });
  await advance(store.journal, String(run), ({ at }) => [
    { type: 'run.claimed', at, worker: 'w1', claim: 1 },
    { type: 'run.finished', at, status: 'failed', failure: { code: 'failed', message: 'x' } },
  ]);
  const retried = await hal.ask(`POST /v1/runs/${String(run)}/retry`, {});
  expect(await personOf(retried.body['id'])).toEqual({ id: hal.id, name: 'hal' });
  for (const what of ['workflows/pay/runs', `runs/${String(run)}/rerun`])
    expect(await personOf((await app.ask(`POST /v1/${what}`, { json: {} })).body['id'])).toBeUndefined();
});

const waitFor = (login: string, at: number, wakeAt: number) =>
  [
    { type: 'run.claimed', at, worker: 'w1', claim: 1 },
    {
      type: 'step.waiting',
      at,
      path: 'look',
      verb: 'tool',
      attempt: 1,
      awaiting: { for: 'turn', server: 'gh', until: at + 5_000, login, since: at },
    },
    { type: 'run.waiting', at, wakeAt },
  ] as const;

test('a person finds the logins that their own runs wait for, until they log in', async () => {
  const [jo, kim] = [await personWith('jo"s'), await personWith('kim')];
  const headers = { 'content-type': 'application/yaml' };
  const source = 'workflow: looks\nsteps: [{ id: look, sample: { append: Hello } }]\n';
  await app.ask('POST /v1/workflows', { key: jo.key, headers, payload: source });
  const waiting = async ({ ask }: PersonKey, name: string, wakeInMs: number): Promise<number> => {
    const { body } = await ask('POST /v1/workflows/looks/runs', {});
    let since = 0;
    await advance(store.journal, String(body['id']), ({ at }) => waitFor(name, (since = at), at + wakeInMs));
    return since;
  };
  const logins = async ({ ask }: Pick<PersonKey, 'ask'>) => (await ask('GET /v1/logins')).body;
  expect(await logins(jo)).toEqual({ data: [] });
  const since = await waiting(jo, 'jo"s', 5_000);
  await waiting(jo, 'jo"s', 5_000);
  expect(await logins(jo)).toEqual({
    data: [{ server: 'gh', person: jo.id, runs: 2, since: new Date(since).toISOString() }],
  });
  for (const other of [kim, { ask: (what: string) => app.ask(what) }])
    expect(await logins(other)).toEqual({ data: [] });
  const { body } = await jo.ask('GET /v1/runs?workflow=looks');
  expect(body['data']).toMatchObject([{}, { waitsFor: { kind: 'turn', name: 'gh', login: 'jo"s' } }]);
  const [, { id }] = body['data'] as [object, { id: string }];
  expect(await overMcp(app, jo.key, 'get_run', { id })).toContain('It goes on when jo');
  await waiting(kim, 'kim', 5_000);
  expect(await logins(jo)).toMatchObject({ data: [{ runs: 2 }] });
  await logIn(jo.ask);
  expect(await logins(jo)).toEqual({ data: [] });
  expect(await logins(kim)).toMatchObject({ data: [{ runs: 1 }] });
});
