import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

import { type FreshStore, compileCache, freshStore } from '@baton/testing';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { ClientDocuments, newPkce, redirectUri, TestBrowser } from '../../testing/oauthClient.ts';
import { OAuthFlows } from '../../testing/oauthFlows.ts';
import { MemoryProvider } from '../../testing/oauthProvider.ts';
import { askOverMcp } from '../../testing/overMcp.ts';
import { type TestApp, openTestApp } from '../../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;
let base: string;
let documents: ClientDocuments;
let admin: TestBrowser;

const newBrowser = async (key?: string): Promise<TestBrowser> => {
  const browser = new TestBrowser(base);
  if (key !== undefined) await browser.logIn(key);
  return browser;
};

beforeAll(async () => {
  store = await freshStore();
  const parts = { callbackNetworks: ['127.0.0.0/8'], mayRegister: true, trustedProxies: ['127.0.0.1'] };
  app = await openTestApp(store, store.url, { parts });
  base = await app.listen();
  documents = await ClientDocuments.start();
  admin = await newBrowser(await app.newKey(['admin'], { name: 'ana' }));
});

afterAll(async () => {
  await app.close();
  await documents.close();
  await store.close();
});

const flows = new OAuthFlows(() => ({ base, documents, admin }));
const { newFlow, exchange, refreshed, connected, asked } = flows;

const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const begin = rpc('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'c', version: '1' },
});
const callOf = (name: string) => rpc('tools/call', { name, arguments: {} });

describe('a client of the SDK', () => {
  async function connects(transport: StreamableHTTPClientTransport, provider: MemoryProvider): Promise<URL> {
    await expect(new Client({ name: 'c', version: '1' }).connect(transport)).rejects.toBeInstanceOf(UnauthorizedError);
    return admin.agree(provider.asked ?? '', 'run');
  }

  test.each(['/mcp', '/mcp/gateway'])(
    'connects to %s with nothing but its address: a person agrees, and it is in',
    async (path) => {
      const provider = new MemoryProvider(documents.put(`/sdk${path}`, { client_name: 'SDK' }));
      const url = new URL(`${base}${path}`);
      const transport = new StreamableHTTPClientTransport(url, { authProvider: provider });
      await transport.finishAuth((await connects(transport, provider)).searchParams);
      const client = new Client({ name: 'c', version: '1' });
      await client.connect(new StreamableHTTPClientTransport(url, { authProvider: provider }));
      expect((await client.listTools()).tools.length).toBeGreaterThanOrEqual(path === '/mcp' ? 1 : 0);
      await client.close();
    },
  );

  test('of the first version, which registers itself, connects too', async () => {
    const old = await import('mcp-sdk-2025-06-18/client/index.js');
    const http = await import('mcp-sdk-2025-06-18/client/streamableHttp.js');
    const provider = new MemoryProvider();
    const url = new URL(`${base}/mcp`);
    const open = () => new http.StreamableHTTPClientTransport(url, { authProvider: provider });
    const first = open();
    // The types of that version know no exact optional properties.
    const connect = (client: InstanceType<typeof old.Client>, transport: ReturnType<typeof open>) =>
      client.connect(transport as Parameters<typeof client.connect>[0]);
    await expect(connect(new old.Client({ name: 'c', version: '1' }), first)).rejects.toThrow('Unauthorized');
    const back = await admin.agree(provider.asked ?? '', 'run');
    await first.finishAuth(back.searchParams.get('code') ?? '');
    const client = new old.Client({ name: 'c', version: '1' });
    await connect(client, open());
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('run_workflow');
    await client.close();
  });
});

describe('a code', () => {
  test('comes back with the state and the issuer, and is exchanged once: a second time ends what it gave', async () => {
    const flow = newFlow();
    const back = await admin.agree(flow.url);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ state: 'its state', iss: base });
    const given = await exchange(flow, back);
    expect(given).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 3_600 } });
    expect((await asked('/mcp', given.access, begin))[0]).toBe(200);
    expect(await exchange(flow, back)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await asked('/mcp', given.access, begin))[0]).toBe(401);
    expect(await refreshed(flow, given.refresh)).toMatchObject({ status: 400 });
  });

  test('is given to one of two that exchange it at the same time', async () => {
    const flow = newFlow();
    const back = await admin.agree(flow.url);
    const answers = await Promise.all([exchange(flow, back), exchange(flow, back)]);
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThan(2);
  });

  test('is refused with another verifier, another redirect, or for another client', async () => {
    const flow = newFlow();
    for (const wrong of [{ verifier: newPkce().verifier }, { redirect: 'http://127.0.0.1:7777/other' }, newFlow()]) {
      const back = await admin.agree(flow.url);
      expect((await exchange({ ...flow, ...wrong }, back)).status).toBe(400);
    }
  });

  test.each([
    ['no challenge', { code_challenge: '', code_challenge_method: '' }],
    ['a plain one', { code_challenge_method: 'plain' }],
    ['one without its method', { code_challenge_method: '' }],
    ['another response type', { response_type: 'token' }],
    ['an address that is not Baton’s', { resource: 'https://other.example/mcp' }],
    ['no address at all', { resource: '' }],
  ])('is not asked for with %s', async (_, more) => {
    const answer = await admin.open(newFlow({}, more).url);
    const back = URL.parse(answer.headers.get('location') ?? '', base);
    expect(back?.pathname).toBe('/callback');
    expect(back?.href).toMatch(/[?#&]error=(invalid_request|unsupported_response_type|invalid_target)/);
  });
});

describe('a redirect', () => {
  test.each([
    ['another host', 'https://evil.example/callback'],
    ['another path', 'http://127.0.0.1:7777/callback/../other'],
    ['a longer path', 'http://127.0.0.1:7777/callback/more'],
    ['a name in front', 'http://evil@127.0.0.1:7777/callback'],
    ['a script', 'javascript:alert(1)'],
  ])('goes to no address that the client did not name: %s', async (_, to) => {
    const answer = await admin.open(newFlow({}, { redirect_uri: to }).url);
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    expect(answer.headers.get('content-security-policy')).toContain(`frame-ancestors 'none'`);
  });

  test('to this machine may have any port', async () => {
    const flow = newFlow({}, { redirect_uri: 'http://127.0.0.1:9/callback' });
    expect((await admin.agree(flow.url)).port).toBe('9');
  });
});

describe('an access token', () => {
  test('is good for one address, and for nothing at another', async () => {
    for (const path of ['/mcp', '/mcp/gateway', '/v1']) {
      const { access } = await connected('run', { resource: `${base}${path}` });
      const [mcp] = await asked('/mcp', access, begin);
      const [gateway] = await asked('/mcp/gateway', access, begin);
      const [rest, challenge] = await asked('/v1/runs', access);
      const good = { '/mcp': mcp, '/mcp/gateway': gateway, '/v1': rest };
      expect(good).toEqual({ '/mcp': 401, '/mcp/gateway': 401, '/v1': 401, [path]: 200 });
      if (path === '/v1') continue;
      const metadata = `${base}/.well-known/oauth-protected-resource/v1`;
      expect(challenge).toBe(`Bearer error="invalid_token", resource_metadata="${metadata}"`);
    }
    const elsewhere = base.replace('127.0.0.1', 'localhost');
    const { access } = await connected();
    const answer = await fetch(`${elsewhere}/mcp`, { headers: { authorization: `Bearer ${access}` } });
    expect(answer.status).toBe(401);
  });

  test('that lacks a scope is told which, so that the client asks the person for it', async () => {
    const { access } = await connected('read');
    const metadata = `resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`;
    for (const [name, scope] of [
      ['run_workflow', 'runs:write'],
      ['deploy_workflow', 'workflows:write'],
    ] as const) {
      const challenge = `Bearer error="insufficient_scope", scope="${scope}", ${metadata}`;
      expect(await asked('/mcp', access, callOf(name))).toEqual([403, challenge]);
    }
    const rest = await connected('read', { resource: `${base}/v1` });
    const [status, challenge] = await asked('/v1/keys', rest.access);
    expect([status, challenge]).toEqual([403, expect.stringContaining('scope="admin"')]);
  });

  test('does at most what the key may, and ends with it', async () => {
    const made = await app.ask('POST /v1/keys', {
      json: { name: 'small', scopes: ['runs:read'], workflows: ['one'] },
    });
    const browser = await newBrowser(String(made.body['key']));
    const flow = newFlow({}, { resource: `${base}/v1` });
    const uid = await browser.begin(flow.url);
    const consent = await browser.json(`/v1/consents/${uid}`);
    expect(consent).toMatchObject({ offered: ['read'], preset: 'read', workflows: { names: [] } });
    expect((await browser.post(`/v1/consents/${uid}`, { choice: 'run' })).status).toBe(403);
    const { access } = await exchange(flow, await browser.agree(flow.url, 'read'));
    expect((await asked('/v1/runs', access))[0]).toBe(200);
    expect((await asked('/v1/workflows/one/runs', access, { inputs: {} }))[0]).toBe(403);
    expect((await asked('/v1/session/codes', access, {}))[0]).toBe(403);
    await app.ask(`DELETE /v1/keys/${String(made.body['id'])}`);
    expect((await asked('/v1/runs', access))[0]).toBe(401);
  });

  test('A client is offered nothing at the gateway by a key that is limited to workflows, and the gateway says why.', async () => {
    const scopes = ['runs:read', 'runs:write', 'servers:read'];
    const limited = await app.ask('POST /v1/keys', { json: { name: 'some', scopes, workflows: ['one'] } });
    const key = String(limited.body['key']);
    const browser = await newBrowser(key);
    const offeredAt = async (path: string): Promise<unknown> => {
      const uid = await browser.begin(newFlow({}, { resource: `${base}${path}` }).url);
      return (await browser.json(`/v1/consents/${uid}`))['offered'];
    };
    expect(await offeredAt('/mcp/gateway')).toEqual([]);
    expect(await offeredAt('/mcp')).toEqual(['read', 'run', 'run-approved']);
    expect(await askOverMcp(app, key, 'tools/list', {}, '/mcp/gateway')).toContain('Connect at /mcp');
  });

  test('starts runs as its key, and each says through which client', async () => {
    await app.deploy('workflow: named\nsteps: [{ set: { a: 1 } }]\n');
    const { access, flow } = await connected('run', { resource: `${base}/v1` });
    const other = await app.newKey(['runs:write']);
    const started = async (key: string) => {
      const host = new URL(base).host;
      const { body } = await app.ask('POST /v1/workflows/named/runs', { key, headers: { host }, json: {} });
      return (await app.ask(`GET /v1/runs/${String(body['id'])}`)).body;
    };
    expect(await started(access)).toMatchObject({
      by: expect.stringContaining('ana ('),
      via: `A client (${flow.client})`,
    });
    expect(await started(other)).not.toHaveProperty('via');
  });

  test('is refreshed with a token that is good once: a second time ends all of them', async () => {
    const { flow, access, refresh } = await connected();
    const next = await refreshed(flow, refresh);
    expect(next.status).toBe(200);
    expect(next.refresh).not.toBe(refresh);
    expect((await asked('/mcp', next.access, begin))[0]).toBe(200);
    expect(await refreshed(flow, refresh)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    for (const token of [access, next.access]) expect((await asked('/mcp', token, begin))[0]).toBe(401);
    expect((await refreshed(flow, next.refresh)).status).toBe(400);
  });

  test('and all of its client end when a person disconnects it, or the client itself does', async () => {
    const one = await connected();
    const { body } = await app.ask('GET /v1/clients?limit=1');
    const [{ id }] = body['data'] as [{ readonly id: string }];
    expect(await app.ask(`DELETE /v1/clients/${id}`)).toMatchObject({ status: 204 });
    const other = await connected();
    const form = new URLSearchParams({ token: other.refresh, client_id: other.flow.client });
    expect((await fetch(`${base}/oauth/revoke`, { method: 'POST', body: form })).status).toBe(200);
    for (const { access, refresh, flow } of [one, other]) {
      expect((await asked('/mcp', access, begin))[0]).toBe(401);
      expect((await refreshed(flow, refresh)).status).toBe(400);
    }
    const audit = await app.ask(`GET /v1/audit?target=${id}`);
    expect(audit.body['data']).toMatchObject([
      { action: 'client.revoked', detail: { reason: 'person' } },
      { action: 'client.connected', detail: { client: one.flow.client } },
      {
        action: 'client.agreed',
        by: expect.stringContaining('ana ('),
        detail: { choice: 'run', resource: `${base}/mcp` },
      },
    ]);
  });

  test('is not in the database, and no row there makes one or gives one other rights', async () => {
    const { access, refresh } = await connected('read', { resource: `${base}/v1` });
    const { rows } = await store.pool.query('select * from oauth_record, connected_client');
    for (const text of [access, refresh]) expect(JSON.stringify(rows)).not.toContain(text);
    await store.pool.query(`update connected_client set choice = 'build', scopes = '{runs:write}'`);
    expect((await asked('/v1/runs/cancel', access, {}))[0]).toBe(403);
    const strong = await connected('run', { resource: `${base}/v1` });
    await store.pool.query(
      `update oauth_record set sealed = (select sealed from oauth_record where kind = 'AccessToken' and grant_id =
         (select id from connected_client where client_id = $1)) where kind = 'AccessToken'`,
      [strong.flow.client],
    );
    const fresh = await openTestApp(store, store.url, { parts: { vault: app.vault } });
    const { port } = new URL(base);
    const answer = await fresh.ask('GET /v1/runs', { key: access, headers: { host: `127.0.0.1:${port}` } });
    await fresh.close();
    expect(answer.status).toBe(401);
  });
});

describe('a decision', () => {
  test('is made by the browser that began, with the cookie of a session, on Baton’s own page, once', async () => {
    const { url } = newFlow();
    const uid = await admin.begin(url);
    const path = `/v1/consents/${uid}`;
    const other = await newBrowser(await app.newKey(['admin'], { name: 'other' }));
    expect((await other.post(path, { choice: 'run' })).status).toBe(404);
    const loggedOut = await newBrowser();
    const own = await loggedOut.begin(url);
    expect((await loggedOut.post(`/v1/consents/${own}`, { choice: 'run' })).status).toBe(401);
    expect(await app.ask(`POST ${path}`, { json: { choice: 'run' } })).toMatchObject({ status: 403 });
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }, {}]) {
      const body = JSON.stringify({ choice: 'run' });
      const sent = await admin.open(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
      expect(sent.status).toBe(403);
    }
    const page = await admin.open(`/connect/${uid}`);
    expect(page.status === 404 || page.headers.get('content-security-policy')?.includes(`frame-ancestors 'none'`)).toBe(
      true,
    );
    expect((await admin.post(path, { choice: 'run' })).status).toBe(200);
    expect((await admin.post(path, { choice: 'build' })).status).toBe(404);
  });

  test('against the client goes back to it as an error', async () => {
    const back = await admin.agree(newFlow().url, null);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: 'access_denied', state: 'its state' });
  });

  test('is remembered for a client that has not changed, and is no program on the person’s machine', async () => {
    const redirect = 'https://client.example/callback';
    const document = { client_name: 'Remembered', redirect_uris: [redirect] };
    const flow = newFlow(document, { redirect_uri: redirect });
    const askedAgain = async (more: Readonly<Record<string, string>> = {}) => {
      const again = newFlow({}, { client_id: flow.client, redirect_uri: redirect, ...more });
      const { isRemembered, preset, client } = await admin.json(`/v1/consents/${await admin.begin(again.url)}`);
      return { isRemembered, preset, client };
    };
    expect(await askedAgain()).toMatchObject({
      isRemembered: false,
      preset: 'run-approved',
      client: { isKnown: false },
    });
    await exchange(flow, await admin.agree(flow.url, 'read'));
    expect(await askedAgain()).toMatchObject({ isRemembered: true, preset: 'read', client: { isKnown: true } });
    expect(await askedAgain({ resource: `${base}/v1` })).toMatchObject({ isRemembered: false });
    // Other issuers push this one out, with the documents that it has cached.
    for (let host = 2; host < 20; host += 1) {
      const elsewhere = { key: '', headers: { host: `127.0.0.${host}` } };
      await app.ask('GET /.well-known/oauth-authorization-server', elsewhere);
    }
    const evil = { ...document, redirect_uris: [redirect, 'https://evil.example/callback'] };
    documents.put(new URL(flow.client).pathname, evil);
    expect(await askedAgain()).toMatchObject({ isRemembered: false });
    const local = await connected();
    const again = newFlow({}, { client_id: local.flow.client });
    const consent = await admin.json(`/v1/consents/${await admin.begin(again.url)}`);
    expect(consent).toMatchObject({ isRemembered: false, preset: 'run' });
  });
});

describe('a client', () => {
  test.each([
    ['an inner address', 'https://10.0.0.1/client'],
    ['a name of this machine', 'https://localhost./client'],
    ['no document', 'https://127.0.0.1:1/client'],
    ['a plain address', 'http://127.0.0.1/client'],
  ])('with %s as its id is not known', async (_, id) => {
    const answer = await admin.open(newFlow({}, { client_id: id }).url);
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  });

  test('with an id of more than 500 characters is not known, also with a good document', async () => {
    const client = documents.put(`/${'x'.repeat(500)}`, {});
    expect((await admin.open(newFlow({}, { client_id: client }).url)).status).toBe(400);
  });

  test('whose document is another one’s, or holds a secret, is not known', async () => {
    for (const document of [
      { client_id: 'https://other.example/' },
      { client_secret: 'x' },
      { client_name: 'x'.repeat(9_000) },
    ])
      expect((await admin.open(newFlow(document).url)).status).toBe(400);
  });

  test.each([
    ['http: of another machine', 'http://client.example/callback'],
    ['http: of another machine, for a web page', 'http://client.example/callback', 'web'],
    ['a user name that looks like a host', 'https://good.example@evil.example/callback'],
    ['a password', 'https://:x@evil.example/callback'],
    ['a fragment', 'https://client.example/callback#part'],
    ['a script', 'javascript:alert(1)'],
    ['a file', 'file:///etc/passwd'],
  ])('cannot be sent back to an address with %s', async (_, redirect, type = 'native') => {
    const metadata = { redirect_uris: [redirect], application_type: type };
    const crowd = new TestBrowser(base, `10.3.0.${redirect.length}`);
    const shown = await crowd.open(newFlow(metadata, { redirect_uri: redirect }).url);
    expect([shown.status, await shown.text()]).toEqual([400, expect.stringMatching(/redirect/)]);
    const registered = await (
      await newBrowser()
    ).open('/oauth/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(metadata),
    });
    expect([registered.status, await registered.text()]).toEqual([400, expect.stringMatching(/redirect/)]);
  });

  test('is one of ten new ones of its address within a minute, and of a thousand in all', async () => {
    const crowd = new TestBrowser(base, '10.2.0.1');
    const statuses = [];
    for (let count = 0; count < 11; count += 1) statuses.push((await crowd.open(newFlow().url)).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 303), 400]);
    const register = async () =>
      (
        await (
          await newBrowser()
        ).open('/oauth/register', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ redirect_uris: [redirectUri] }),
        })
      ).status;
    expect(await register()).toBe(201);
    await store.pool.query(
      `insert into oauth_record (digest, kind, sealed) select n::text::bytea, 'Client', '' from generate_series(1, 1000) n`,
    );
    await store.pool.query(`update oauth_record set expires_at = null where kind = 'Client'`);
    expect(await register()).toBe(429);
    // Those that never got a token make room.
    await store.pool.query(`update oauth_record set expires_at = now() + interval '1 hour' where sealed = ''`);
    expect(await register()).toBe(201);
    expect((await (await newBrowser()).open(newFlow().url)).status).toBe(303);
    await store.pool.query(`delete from oauth_record where kind = 'Client' and sealed = ''`);
  });
});

const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

test('the authorization scenarios of the conformance suite of MCP pass', async () => {
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const address = free.address();
  const port = String(typeof address === 'object' ? address?.port : 0);
  free.close();
  await once(free, 'close');
  const registered = await admin.open('/oauth/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [`http://127.0.0.1:${port}/callback`] }),
  });
  const { client_id: id } = (await registered.json()) as { readonly client_id: string };
  const asked = ['--url', base, '--client-id', id, '--resource', `${base}/mcp`, '--port', port];
  const env = { PATH: process.env['PATH'], NO_COLOR: '1', NODE_COMPILE_CACHE: compileCache };
  const child = spawn(process.execPath, [suite, 'authorization', ...asked], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  let said = '';
  let isListening = false;
  for await (const text of child.stdout.setEncoding('utf8')) {
    said += String(text);
    const [authorize] = new RegExp(`${base}/oauth/authorize\\S+(?=\\s)`).exec(said) ?? [];
    if (authorize === undefined || isListening || !said.includes('Callback server started')) continue;
    isListening = true;
    await fetch(await admin.agree(authorize));
  }
  expect([(await ended)[0], said]).toEqual([0, expect.stringContaining('Total: 3 passed, 0 failed')]);
});
