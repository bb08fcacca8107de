/** What one client, or one browser, could have of another one. */
import { clientUnusedMs } from '@baton/control';
import { openStore, removeUnusedClients } from '@baton/store';
import { type FreshStore, freshStore, soon, testSecretKey } from '@baton/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { ClientDocuments, redirectUri, TestBrowser } from '../../testing/oauthClient.ts';
import { OAuthFlows } from '../../testing/oauthFlows.ts';
import { type TestApp, openTestApp } from '../../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;
let base: string;
let documents: ClientDocuments;
let admin: TestBrowser;

const { newFlow, refreshed, connected, asked, tokensFor } = new OAuthFlows(() => ({ base, documents, admin }));

beforeAll(async () => {
  store = await freshStore();
  const parts = { callbackNetworks: ['127.0.0.0/8'], mayRegister: true, trustedProxies: ['127.0.0.1'] };
  app = await openTestApp(store, store.url, { parts });
  base = await app.listen();
  documents = await ClientDocuments.start();
  admin = new TestBrowser(base);
  await admin.logIn(await app.newKey(['admin'], { name: 'ana' }));
});

afterAll(async () => {
  await app.close();
  await documents.close();
  await store.close();
});

const begin = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
};

const statusOf = async (answer: Promise<{ readonly status: number }>): Promise<number> => (await answer).status;

test('A token is for one address, however the path of another one is written.', async () => {
  const { access } = await connected('run', { resource: `${base}/v1` });
  for (const path of ['/mcp', '/%6dcp', '/mcp/gateway', '/mcp/%67ateway'])
    expect([path, (await asked(path, access, begin))[0]]).toEqual([path, 401]);
});

test('A client that asks for tokens of two addresses is refused, for a token is for one.', async () => {
  const { url } = newFlow();
  const answer = await admin.open(`${url}&resource=${encodeURIComponent(`${base}/v1`)}`);
  expect(answer.headers.get('location')).toContain('error=invalid_target');
});

test('A request for tokens of another address, or of two, is refused, and uses neither the code nor the refresh token up.', async () => {
  const flow = newFlow();
  const code = (await admin.agree(flow.url)).searchParams.get('code') ?? '';
  const own = { client_id: flow.client, resource: flow.resource };
  const exchange = {
    grant_type: 'authorization_code',
    code,
    code_verifier: flow.verifier,
    redirect_uri: flow.redirect,
  };
  const wrong = [`${base}/v1`, 'https://elsewhere.example', 'no address'];
  const refusals = async (form: Readonly<Record<string, string>>) => {
    for (const resource of wrong)
      expect((await tokensFor({ ...form, ...own, resource })).body).toMatchObject({ error: 'invalid_target' });
    const two = new URLSearchParams({ ...form, ...own });
    two.append('resource', `${base}/v1`);
    const answer = await fetch(`${base}/oauth/token`, { method: 'POST', body: two });
    expect(answer.status).toBe(400);
  };
  await refusals(exchange);
  const given = await tokensFor({ ...exchange, ...own });
  expect(given.status).toBe(200);
  const refresh = { grant_type: 'refresh_token', refresh_token: given.refresh };
  await refusals(refresh);
  expect((await asked('/mcp', given.access, begin))[0]).toBe(200);
  expect(await statusOf(tokensFor({ ...refresh, ...own }))).toBe(200);
});

test('Who began an authorization cannot go on with what another person decided in another browser.', async () => {
  const attacker = new TestBrowser(base);
  const flow = newFlow();
  const uid = await attacker.begin(flow.url);
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  // The victim's browser was given the cookie of the attacker, by a page at another port.
  const key = await app.newKey(['runs:read', 'runs:write'], { name: 'victim' });
  const session = await app.ask('POST /v1/session', { key: '', json: { key }, headers: { host: new URL(base).host } });
  const cookie = `${String(session.headers['set-cookie']).split(';')[0] ?? ''}; baton_consent=${uid}`;
  const decided = await fetch(`${base}/v1/consents/${uid}`, {
    method: 'POST',
    headers: { ...headers, cookie },
    body: JSON.stringify({ choice: 'read' }),
  });
  expect(decided.status).toBe(200);
  const { goOn } = (await decided.json()) as { readonly goOn: string };
  const [address = ''] = goOn.split('?');
  for (const guess of [address, `${address}?decision=x`]) {
    const answer = await attacker.open(guess);
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  }
});

test('An agreement that no client takes up ends no connection of that client, and two machines have one each.', async () => {
  const redirect = { redirect_uri: 'http://127.0.0.1:7777/callback' };
  const first = await connected('run', redirect);
  const again = newFlow({}, { ...redirect, client_id: first.flow.client });
  await admin.agree(again.url);
  expect((await asked('/mcp', first.access, begin))[0]).toBe(200);
  const second = await connected('run', { ...redirect, client_id: first.flow.client });
  for (const { flow, refresh } of [first, second]) expect(await statusOf(refreshed(flow, refresh))).toBe(200);
});

test('Of more than ten agreements of a key with one client, the oldest ends, with its tokens.', async () => {
  const first = await connected();
  for (let count = 0; count < 10; count += 1) await connected('run', { client_id: first.flow.client });
  expect(await statusOf(refreshed(first.flow, first.refresh))).toBe(400);
});

test('A client that was not used for 90 days is removed with its tokens, and so is an agreement that was not taken up.', async () => {
  const used = await connected();
  const unused = await connected();
  const unclaimed = newFlow();
  await admin.agree(unclaimed.url);
  const age = (client: string, column: string, by: string): Promise<unknown> =>
    store.pool.query(`update connected_client set ${column} = ${column} - interval '${by}' where client_id = $1`, [
      client,
    ]);
  await age(used.flow.client, 'last_used_at', '89 days');
  await age(unused.flow.client, 'last_used_at', '91 days');
  await age(unclaimed.client, 'created_at', '2 hours');
  await removeUnusedClients(store, store.now() - clientUnusedMs);
  expect(await statusOf(refreshed(unused.flow, unused.refresh))).toBe(400);
  expect(await statusOf(refreshed(used.flow, used.refresh))).toBe(200);
  const { body } = await app.ask('GET /v1/clients?limit=100');
  const clients = (body['data'] as { readonly client: string }[]).map(({ client }) => client);
  expect(clients).toContain(used.flow.client);
  for (const { client } of [unclaimed, unused.flow]) expect(clients).not.toContain(client);
});

test('A client sees and ends itself, and no other client of its person.', async () => {
  const reader = await connected('read', { resource: `${base}/v1` });
  const other = await connected();
  const all = (await app.ask('GET /v1/clients?limit=100')).body['data'] as { id: string; client: string }[];
  const idOf = ({ flow }: typeof reader): string => all.find(({ client }) => client === flow.client)?.id ?? '';
  const options = { key: reader.access, headers: { host: new URL(base).host } };
  expect((await app.ask('GET /v1/clients', options)).body['data']).toMatchObject([{ client: reader.flow.client }]);
  expect(await statusOf(app.ask(`DELETE /v1/clients/${idOf(other)}`, options))).toBe(404);
  expect((await asked('/mcp', other.access, begin))[0]).toBe(200);
  expect(await statusOf(app.ask(`DELETE /v1/clients/${idOf(reader)}`, options))).toBe(204);
  expect((await asked('/v1/runs', reader.access))[0]).toBe(401);
});

test('What a removed person agreed to stays ended when the person comes back.', async () => {
  const added = await app.ask('POST /v1/people', { json: { name: 'ann', grants: [{ role: 'operator' }] } });
  const id = String(added.body['id']);
  const { body } = await app.ask(`POST /v1/people/${id}/links`);
  const browser = new TestBrowser(base);
  await browser.post('/v1/session', { code: body['code'] });
  const client = await connected('run', {}, browser);
  const named = (await app.ask('GET /v1/clients?limit=100')).body['data'] as { client: string; key: object }[];
  expect(named.find((one) => one.client === client.flow.client)?.key).toEqual({ id, name: 'ann' });
  expect(await statusOf(app.ask(`DELETE /v1/people/${id}`))).toBe(204);
  expect(await statusOf(app.ask(`POST /v1/people/${id}/restore`))).toBe(200);
  expect((await asked('/mcp', client.access, begin))[0]).toBe(401);
  expect(await statusOf(refreshed(client.flow, client.refresh))).toBe(400);
});

const register = async (browser: TestBrowser, name = 'Stranger') =>
  browser.open('/oauth/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [redirectUri], client_name: name }),
  });

test('A stranger registers ten clients within a minute, each is in the audit, and none may do anything without a person.', async () => {
  const stranger = new TestBrowser(base, '10.9.0.1');
  const answers = [];
  for (let count = 0; count < 12; count += 1) answers.push(await register(stranger, 'Stranger 9'));
  expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 10 }, () => 201), 429, 429]);
  expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await register(new TestBrowser(base, '10.9.0.2'), 'Another')).status).toBe(201);
  const ids = await Promise.all(answers.slice(0, 10).map(async (one) => (await one.json()) as { client_id: string }));
  const { body } = await app.ask('GET /v1/audit?action=client.registered&limit=100');
  const entries = (body['data'] as { by: string; target: string; detail: object }[]).filter(({ target }) =>
    ids.some((one) => one.client_id === target),
  );
  expect(entries).toHaveLength(10);
  expect(entries.every(({ by, detail }) => by === 'oauth' && 'name' in detail && detail.name === 'Stranger 9')).toBe(
    true,
  );
  const { client_id } = ids[0] ?? { client_id: '' };
  const { status } = await tokensFor({ grant_type: 'client_credentials', client_id, resource: `${base}/mcp` });
  expect(status).toBe(400);
  const clients = (await app.ask('GET /v1/clients?limit=100')).body['data'] as { client: string }[];
  expect(clients.some(({ client }) => ids.some((one) => one.client_id === client))).toBe(false);
});

test('Of a stranger the documents of ten clients are asked for within a minute; then the stranger is told to wait.', async () => {
  const stranger = new TestBrowser(base, '10.9.1.1');
  const texts: string[] = [];
  for (let count = 0; count < 11; count += 1) {
    const flow = newFlow({}, { client_id: `https://10.0.0.1/client-${count}` });
    texts.push(await (await stranger.open(flow.url)).text());
  }
  expect(texts.map((text) => text.includes('Try again in a minute'))).toEqual([
    ...Array.from({ length: 10 }, () => false),
    true,
  ]);
});

test('A person was seen when a client of theirs did something.', async () => {
  const added = await app.ask('POST /v1/people', { json: { name: 'uma', grants: [{ role: 'operator' }] } });
  const id = String(added.body['id']);
  const { body } = await app.ask(`POST /v1/people/${id}/links`);
  const browser = new TestBrowser(base);
  await browser.post('/v1/session', { code: body['code'] });
  const { access } = await connected('run', {}, browser);
  const seenAt = async (): Promise<unknown> => (await app.ask(`GET /v1/people/${id}`)).body['seenAt'];
  await soon(async () => expect(await seenAt()).toEqual(expect.any(String)));
  await store.pool.query(`update person set seen_at = now() - interval '1 day' where id = $1`, [id]);
  const before = String(await seenAt());
  expect((await asked('/mcp', access, begin))[0]).toBe(200);
  await soon(async () => expect(String(await seenAt()) > before).toBe(true));
  expect(Date.parse(String(await seenAt()))).toBeGreaterThan(Date.now() - 3_600_000);
});

test('While Postgres does not answer, Baton tells a client to come again, and not that the server is broken.', async () => {
  const impatient = openStore({ url: store.url, secretKey: testSecretKey, answerMs: 5_000 });
  onTestFinished(() => impatient.close());
  const other = await openTestApp(impatient, store.url, {
    parts: { mayRegister: true, trustedProxies: ['127.0.0.1'] },
  });
  onTestFinished(() => other.close());
  const there = await other.listen();
  const refresh = { grant_type: 'refresh_token', client_id: 'https://client.example/c', refresh_token: 'any' };
  const client = await store.pool.connect();
  try {
    await client.query('begin; lock table oauth_record in access exclusive mode');
    const answers = await Promise.all([
      fetch(`${there}/oauth/token`, { method: 'POST', body: new URLSearchParams(refresh) }),
      fetch(`${there}/oauth/authorize/some-authorization?decision=x`),
      register(new TestBrowser(there)),
    ]);
    for (const answer of answers)
      expect([answer.url, answer.status, answer.headers.get('retry-after')]).toEqual([answer.url, 503, '1']);
    expect(await answers[0].json()).toMatchObject({ error: 'temporarily_unavailable' });
  } finally {
    await client.query('rollback');
    client.release();
  }
});

test('A run that a person started elsewhere, or by another client, is no task of a client.', async () => {
  await app.deploy('workflow: asks\nsteps: [{ id: ok, ask: Go on? }]\n');
  const one = await connected('run');
  const other = await connected('run');
  const run = await app.ask('POST /v1/workflows/asks/runs', { json: {} });
  const task = async (token: string, method: string, params: Readonly<Record<string, unknown>>) => {
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    };
    const answer = await fetch(`${base}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': String(params['name'] ?? params['taskId']),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
    });
    const text = await answer.text();
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as { result?: { taskId: string }; error?: object };
  };
  const begun = await task(one.access, 'tools/call', {
    name: 'run_workflow',
    arguments: { workflow: 'asks', inputs: {} },
  });
  expect(begun).toMatchObject({ result: { resultType: 'task' } });
  const { taskId = '' } = begun.result ?? {};
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
    for (const [token, id] of [
      [other.access, taskId],
      [one.access, String(run.body['id'])],
    ] as const)
      expect([method, await task(token, method, { taskId: id })]).toMatchObject([method, { error: { code: -32602 } }]);
  expect(await task(one.access, 'tasks/get', { taskId })).toMatchObject({ result: { taskId } });
});
