/**
 * Goal: a client with an assertion of the identity provider gets a token of Baton's own for its person (ID-JAG; MCP's
 * enterprise-managed authorization), once, for what the assertion says, and with no other assertion.
 */
import { TokenIssuer } from '@baton/oauth';
import { Vault } from '@baton/store';
import { type FreshStore, freshStore, Upstream } from '@baton/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { ClientDocuments } from '../../testing/oauthClient.ts';
import { type TestApp, openTestApp } from '../../testing/testApp.ts';

const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const claimRules = [{ when: 'groups.exists(g, g == "payments")', role: 'author', on: ['payments/*'] }] as const;

const vault = new Vault(Buffer.alloc(32, 9));
const opened: TestApp[] = [];
let store: FreshStore;
let upstream: Upstream;
let documents: ClientDocuments;
let client: string;
let app: TestApp;
let base: string;

/** Another process of the installation, reached by the same name. */
const another = (): Promise<TestApp> =>
  openTestApp(store, store.url, {
    parts: {
      vault,
      tokenIssuer: new TokenIssuer(upstream.issuer),
      claimRules,
      callbackNetworks: ['127.0.0.0/8'],
      trustedProxies: ['127.0.0.1'],
    },
  }).then((one) => {
    opened.push(one);
    return one;
  });

beforeAll(async () => {
  store = await freshStore();
  upstream = await Upstream.start();
  documents = await ClientDocuments.start();
  client = documents.put('/agent', { client_name: 'Agent', grant_types: ['authorization_code', grantType] });
  app = await another();
  base = await app.listen();
  upstream.serve(base);
});

beforeEach(() => {
  upstream.isDown = false;
});

afterAll(async () => {
  for (const one of opened) await one.close();
  await upstream.close();
  await documents.close();
  await store.close();
});

const assertion = (claims: object = {}, header: object = {}): Promise<string> =>
  upstream.sign(
    { typ: 'oauth-id-jag+jwt', ...header },
    {
      sub: 'ana',
      name: 'Ana',
      groups: ['payments'],
      aud: base,
      client_id: client,
      resource: `${base}/mcp`,
      scope: 'runs:read runs:write',
      ...claims,
    },
  );

async function exchange(text: string, more: Readonly<Record<string, string>> = {}, at = base) {
  const form = { grant_type: grantType, client_id: client, assertion: text, ...more };
  const answer = await fetch(`${at}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  const body = (await answer.json()) as Record<string, string>;
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body };
}

async function given(claims: object = {}, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const { status, body } = await exchange(await assertion(claims), more);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body['access_token'] ?? '';
}

async function statusAt(path: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${base}${path}`, { headers, method: path === '/mcp' ? 'DELETE' : 'GET' });
  await answer.text();
  return answer.status;
}

const rest = (): { resource: string } => ({ resource: `${base}/v1` });

describe('an assertion', () => {
  test('The metadata of the server says that it takes assertions', async () => {
    const metadata: unknown = await (await fetch(`${base}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toMatchObject({
      issuer: base,
      grant_types_supported: expect.arrayContaining([grantType]),
      authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
    });
  });

  test('An assertion gives a token of Baton for its person, client and address, without a refresh token', async () => {
    await app.deploy('workflow: payments/refund\nsteps: [{ id: a, wait: 1s }]\n');
    const { status, body } = await exchange(await assertion(rest()));
    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^[\w-]{43}$/),
        token_type: 'Bearer',
        expires_in: 3_600,
        scope: 'runs:read runs:write',
      },
    ]);
    const token = body['access_token'] ?? '';
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const started = await fetch(`${base}/v1/workflows/payments%2Frefund/runs`, { method: 'POST', headers, body: '{}' });
    expect(started.status).toBe(202);
    const { id } = (await started.json()) as { readonly id: string };
    expect((await app.ask(`GET /v1/runs/${id}`)).body).toMatchObject({
      by: `Ana (${upstream.issuer}#ana)`,
      via: `Agent (${client})`,
    });
    expect(await statusAt('/mcp', token)).toBe(401);
    const { body: connected } = await app.ask('GET /v1/clients');
    expect(connected['data']).toMatchObject([{ client, name: 'Agent', key: { name: 'Ana' }, resource: `${base}/v1` }]);
    const again = await exchange(await assertion(rest()));
    expect(again.status).toBe(200);
    expect((await app.ask('GET /v1/clients')).body['data']).toHaveLength(1);
    const [one] = connected['data'] as { readonly id: string }[];
    expect((await app.ask(`DELETE /v1/clients/${one?.id ?? ''}`)).status).toBe(204);
    for (const ended of [token, again.body['access_token'] ?? '']) expect(await statusAt('/v1/runs', ended)).toBe(401);
    expect((await app.ask('POST /v1/audit/verify')).body).toMatchObject({ isIntact: true });
  });

  test('A request that is refused for its scope or its address does not use the assertion up', async () => {
    const text = await assertion(rest());
    const tooWide = await exchange(text, { scope: 'workflows:write' });
    expect(tooWide.body).toMatchObject({ error: 'invalid_scope' });
    const elsewhere = await exchange(text, { resource: `${base}/mcp` });
    expect(elsewhere.body).toMatchObject({ error: 'invalid_target' });
    expect((await exchange(text)).status).toBe(200);
    expect((await exchange(text)).body).toMatchObject({ error: 'invalid_grant' });
  });

  test('A token for an assertion does at most what the assertion, the request and the grants of its person all allow', async () => {
    const less = await exchange(await assertion(rest()), { scope: 'runs:read workflows:write' });
    expect(less.body).toMatchObject({ scope: 'runs:read' });
    const read = await exchange(await assertion({ ...rest(), scope: 'read' }));
    expect(read.body).toMatchObject({ scope: 'runs:read servers:read' });
    const byClaims = await exchange(await assertion({ ...rest(), scope: undefined }));
    expect(byClaims.body['scope']?.split(' ')).toContain('workflows:write');
    const nothing = { ...rest(), sub: 'eve', groups: [], scope: 'build' };
    expect((await exchange(await assertion(nothing))).body).toMatchObject({ error: 'invalid_scope' });
    expect((await exchange(await assertion(rest()), { scope: 'workflows:write' })).body).toMatchObject({
      error: 'invalid_scope',
    });
  });

  test('A client that asks for less than its assertion says gets the limits of what it asks for, too.', async () => {
    const said = { ...rest(), sub: 'gus', scope: 'run' };
    const { body } = await exchange(await assertion(said), { scope: 'run-approved' });
    expect(body).toMatchObject({ scope: 'runs:read runs:write servers:read' });
    const { rows } = await store.pool.query(
      `select choice from connected_client c join person p on p.id = c.key_id where p.subject = 'gus'`,
    );
    expect(rows).toEqual([{ choice: 'run-approved' }]);
  });

  test('Two assertions at the same moment are one connected client', async () => {
    const texts = await Promise.all(Array.from({ length: 6 }, () => assertion({ ...rest(), sub: 'fay' })));
    const answers = await Promise.all(texts.map((text) => exchange(text, { scope: 'read' })));
    expect(answers.map(({ status, body }) => [status, body['scope']])).toEqual(texts.map(() => [200, 'runs:read']));
    const { rows } = await store.pool.query(
      `select count(*)::int as n from connected_client c join person p on p.id = c.key_id where p.subject = 'fay'`,
    );
    expect(rows).toEqual([{ n: 1 }]);
  });

  test('A person who is removed loses what assertions gave, and gets nothing more', async () => {
    const token = await given({ ...rest(), sub: 'cy' });
    expect(await statusAt('/v1/runs', token)).toBe(200);
    const { rows } = await store.pool.query<{ id: string }>(`select id from person where subject = 'cy'`);
    expect((await app.ask(`DELETE /v1/people/${rows[0]?.id ?? ''}`)).status).toBe(204);
    expect(await statusAt('/v1/runs', token)).toBe(401);
    const { status, body } = await exchange(await assertion({ ...rest(), sub: 'cy' }));
    expect([status, body['error_description']]).toEqual([400, expect.stringContaining('was removed here')]);
  });

  test('A resource that the assertion does not name is that of the request', async () => {
    const { status } = await exchange(await assertion({ resource: undefined }), { resource: `${base}/v1` });
    expect(status).toBe(200);
    expect((await exchange(await assertion({ resource: undefined }))).body).toMatchObject({ error: 'invalid_target' });
  });
});

describe('attacks', () => {
  test('An attacker uses an assertion no second time, at any process, also at the same moment', async () => {
    const other = await another();
    const there = await other.listen();
    const text = await assertion();
    const at = (process: string): Promise<Response> =>
      fetch(`${process}/oauth/token`, {
        method: 'POST',
        headers: { 'x-forwarded-host': new URL(base).host },
        body: new URLSearchParams({ grant_type: grantType, client_id: client, assertion: text }),
      });
    const statuses = (await Promise.all([base, there, base, there].map(at))).map(({ status }) => status);
    expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 400, 400, 400]);
    expect((await exchange(text)).body['error_description']).toContain('was used before');
  });

  test('An attacker gets a token for no assertion of another client, resource, audience, issuer, time or kind', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const stranger = documents.put('/stranger', { grant_types: ['authorization_code', grantType] });
    const cases = [
      ['another client', { client_id: stranger }, {}, 'another client'],
      ['no client', { client_id: undefined }, {}, 'another client'],
      ['another audience', { aud: 'https://other.example' }, {}, 'It is for https://other.example'],
      ['the address of a resource as audience', { aud: `${base}/mcp` }, {}, 'expected exactly'],
      ['several audiences', { aud: [base, 'https://other.example'] }, {}, 'several'],
      ['another issuer', { iss: 'https://evil.example' }, {}, 'issuer (iss)'],
      ['its issuer with a slash', { iss: `${upstream.issuer}/` }, {}, 'issuer (iss)'],
      ['a past time', { exp: now - 120 }, {}, 'has expired'],
      ['a life of a day', { exp: now + 86_400 }, {}, 'longer than an hour'],
      ['no name of its own', { jti: undefined }, {}, 'jti'],
      ['an access token', {}, { typ: 'at+jwt' }, 'expected oauth-id-jag+jwt'],
      ['an identity token', {}, { typ: 'JWT' }, 'expected oauth-id-jag+jwt'],
    ] as const;
    for (const [what, claims, header, why] of cases) {
      const { status, body } = await exchange(await assertion(claims, header));
      expect([what, status, body['error'], body['error_description']]).toEqual([
        what,
        400,
        'invalid_grant',
        expect.stringContaining(why),
      ]);
    }
    for (const resource of ['https://other.example/mcp', `${base}/mcp/`, [`${base}/mcp`], `${base}/other`]) {
      const { status, body } = await exchange(await assertion({ resource }));
      expect([resource, status, body['error']]).toEqual([resource, 400, 'invalid_target']);
    }
    const { body } = await exchange(await assertion(), { resource: `${base}/v1` });
    expect(body['error']).toBe('invalid_target');
    expect((await exchange(await assertion(), { client_id: stranger })).status).toBe(400);
  });

  test('A client whose document does not name the grant gets no token with it', async () => {
    const plain = documents.put('/plain', {});
    const { status } = await exchange(await assertion({ client_id: plain }), { client_id: plain });
    expect(status).toBe(400);
  });

  test('The owner of the database gives no token other rights', async () => {
    const token = await given({ ...rest(), scope: 'runs:read' });
    await store.pool.query(`update connected_client set scopes = '{workflows:write}', choice = 'build'`);
    const headers = { authorization: `Bearer ${token}` };
    const caller = (await (await fetch(`${base}/v1/whoami`, { headers })).json()) as { readonly scopes: string[] };
    expect(caller.scopes.toSorted()).toEqual(['runs:read', 'runs:values']);
  });
});

test('While the identity provider is down, Baton tells a client with an assertion to come again, and does not use up the assertion.', async () => {
  const cold = await another();
  const there = await cold.listen();
  const text = await assertion({ aud: there, resource: `${there}/mcp` });
  upstream.isDown = true;
  const { status, retryAfter } = await exchange(text, {}, there);
  expect([status, Number(retryAfter) > 0]).toEqual([503, true]);
  expect(await statusAt('/v1/runs', 'x')).toBe(401);
});
