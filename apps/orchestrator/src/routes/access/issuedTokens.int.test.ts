/**
 * Goal: access tokens of another authorization server, a real one, let their person in with what they say and at most what
 * the person may, and no other token does.
 */
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { ensureAdminKey } from '@baton/control';
import { TokenIssuer } from '@baton/oauth';
import { type FreshStore, freshStore, Upstream, upstreamMcpClient } from '@baton/testing';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import type { AppParts } from '../../appParts.ts';
import { newPkce, TestBrowser } from '../../testing/oauthClient.ts';
import { MemoryProvider } from '../../testing/oauthProvider.ts';
import { type TestApp, openTestApp } from '../../testing/testApp.ts';

const opened: TestApp[] = [];
let store: FreshStore;
let upstream: Upstream;
let app: TestApp;
let base: string;

const claimRules = [
  { when: 'groups.exists(g, g == "payments")', role: 'author', on: ['payments/*'] },
  { when: '"readers" in groups', role: 'viewer' },
] as const;

/** Another process, with keys of the issuer of its own. */
async function another(issuer = upstream.issuer, more: Partial<AppParts> = {}) {
  const parts = { tokenIssuer: new TokenIssuer(issuer), claimRules, trustedProxies: ['127.0.0.1'], ...more };
  const one = await openTestApp(store, store.url, { parts });
  opened.push(one);
  return { app: one, base: await one.listen() };
}

beforeAll(async () => {
  store = await freshStore();
  upstream = await Upstream.start();
  ({ app, base } = await another());
  upstream.serve(base);
});

beforeEach(() => {
  upstream.isDown = false;
  for (const subject of ['ana', 'eve']) upstream.people.set(subject, { name: subject });
});

afterAll(async () => {
  for (const one of opened) await one.close();
  await upstream.close();
  await store.close();
});

const groups = ['payments'];

const tokenOf = (more: Partial<Parameters<Upstream['accessToken']>[0]> = {}): Promise<string> =>
  upstream.accessToken({
    subject: 'ana',
    resource: `${base}/v1`,
    scope: 'runs:read runs:write',
    claims: { groups },
    ...more,
  });

/** A token of any form for the REST API, with what makes a good one. */
const signed = (claims: object = {}, header: object = {}): Promise<string> =>
  upstream.sign(
    { typ: 'at+jwt', ...header },
    { sub: 'ana', aud: `${base}/v1`, client_id: 'mcp-client', scope: 'runs:read', groups, ...claims },
  );

interface Asked {
  readonly status: number;
  readonly challenge: string | null;
  readonly retryAfter: string | null;
  readonly body: Record<string, unknown>;
}

let asks = 0;

async function ask(
  token: string,
  path = '/v1/runs',
  { at = base, json, from }: { at?: string; json?: unknown; from?: string } = {},
): Promise<Asked> {
  // Wrong tokens are counted by address: each request has its own, unless a test names one.
  const own = { authorization: `Bearer ${token}`, 'x-forwarded-for': from ?? `10.2.${(asks += 1) >> 8}.${asks & 255}` };
  const headers = { ...own, accept: 'application/json, text/event-stream' };
  const post = {
    method: 'POST',
    body: JSON.stringify(json),
    headers: { ...headers, 'content-type': 'application/json' },
  };
  const answer = await fetch(`${at}${path}`, json === undefined ? { headers } : post);
  const text = await answer.text();
  return {
    status: answer.status,
    challenge: answer.headers.get('www-authenticate'),
    retryAfter: answer.headers.get('retry-after'),
    body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
}

const begin = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
};

const personOf = async (subject: string): Promise<string> => {
  const { rows } = await store.pool.query<{ id: string }>('select id from person where subject = $1', [subject]);
  return rows[0]?.id ?? '';
};

/** What a browser does in which the person is logged in at the issuer: the address at which the client gets its code. */
async function agreed(authorize: string): Promise<URL> {
  const browser = new TestBrowser(upstream.issuer);
  const { redirectUri } = upstreamMcpClient;
  let next = authorize;
  for (let count = 0; count < 10 && !next.startsWith(redirectUri); count += 1) {
    const answer = await browser.open(next);
    next = answer.headers.get('location') ?? `${redirectUri}#${await answer.text()}`;
  }
  return new URL(next);
}

describe('a token of another authorization server', () => {
  test('A client of the SDK that has nothing but the address of /mcp finds the issuer by the 401, logs in there, and calls a tool', async () => {
    upstream.subject = 'ana';
    upstream.tokenClaims = { groups };
    const { clientId, redirectUri } = upstreamMcpClient;
    const provider = new MemoryProvider(undefined, redirectUri);
    provider.saveClientInformation({ client_id: clientId });
    const open = () => new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { authProvider: provider });
    const first = open();
    await expect(new Client({ name: 'c', version: '1' }).connect(first)).rejects.toBeInstanceOf(UnauthorizedError);
    expect(provider.asked?.origin).toBe(upstream.issuer);
    expect(provider.asked?.searchParams.get('resource')).toBe(`${base}/mcp`);
    await first.finishAuth((await agreed(provider.asked?.href ?? '')).searchParams);
    expect(provider.tokens()?.access_token.split('.')).toHaveLength(3);
    const client = new Client({ name: 'c', version: '1' });
    await client.connect(open());
    const { content, isError = false } = await client.callTool({ name: 'list_workflows', arguments: {} });
    expect([isError, content]).toMatchObject([false, [{ type: 'text' }]]);
    await client.close();
  });

  test('A client that follows the metadata of Baton logs in there, and its token is taken at its address while the identity token beside it is not', async () => {
    const metadata = (await (await fetch(`${base}/.well-known/oauth-protected-resource/mcp`)).json()) as Record<
      string,
      unknown
    >;
    expect(metadata).toMatchObject({ resource: `${base}/mcp`, authorization_servers: [upstream.issuer, base] });
    const { clientId, redirectUri } = upstreamMcpClient;
    const { verifier, challenge } = newPkce();
    upstream.subject = 'ana';
    upstream.tokenClaims = { groups };
    const resource = `${base}/mcp`;
    const asked = { client_id: clientId, redirect_uri: redirectUri, resource, response_type: 'code' };
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256', scope: 'openid runs:read runs:write' };
    const back = await agreed(`/auth?${new URLSearchParams({ ...asked, ...pkce }).toString()}`);
    const code = back.searchParams.get('code') ?? back.href;
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier };
    const body = new URLSearchParams({ ...form, client_id: clientId, redirect_uri: redirectUri, resource });
    const given = await (await fetch(`${upstream.issuer}/token`, { method: 'POST', body })).json();
    const { access_token: access = '', id_token: identity = '' } = given as Record<string, string>;
    expect((await ask(access, '/mcp', { json: begin })).status).toBe(200);
    for (const path of ['/mcp/gateway', '/mcp']) {
      const token = path === '/mcp' ? identity : access;
      expect([path, (await ask(token, path, { json: begin })).status]).toEqual([path, 401]);
    }
  });

  test('A token lets in its person by issuer and subject, added at the first time, and a run that it starts names the client', async () => {
    await app.deploy('workflow: payments/refund\nsteps: [{ id: a, wait: 1s }]\n');
    upstream.people.set('bea', { name: 'Bea' });
    const token = await tokenOf({ subject: 'bea', claims: { groups, name: 'Bea (Lopez)' } });
    const started = await ask(token, '/v1/workflows/payments%2Frefund/runs', { json: {} });
    expect(started.status).toBe(202);
    const { body } = await app.ask(`GET /v1/runs/${String(started.body['id'])}`);
    expect(body).toMatchObject({
      by: `Bea Lopez (${upstream.issuer}#bea)`,
      via: `mcp-client (${new URL(upstream.issuer).host})`,
    });
    expect((await ask(token, '/v1/whoami')).body).toMatchObject({
      person: { id: `${upstream.issuer}#bea` },
      grants: [{ scopes: ['runs:read', 'runs:write', 'runs:values'], workflows: ['payments/*'] }],
    });
    expect((await app.ask('POST /v1/audit/verify')).body).toMatchObject({ isIntact: true });
  });

  test('A token may do what both its scopes and the grants of its person allow, and a missing scope is named', async () => {
    const token = await tokenOf({ scope: 'runs:read' });
    expect((await ask(token)).status).toBe(200);
    const refused = await ask(token, '/v1/workflows/payments%2Frefund/runs', { json: {} });
    expect([refused.status, refused.challenge]).toEqual([
      403,
      `Bearer error="insufficient_scope", scope="runs:write", resource_metadata="${base}/.well-known/oauth-protected-resource/v1"`,
    ]);
    // No scope of a token gives what its person does not have, and no other token would help.
    const eve = await tokenOf({ subject: 'eve', scope: 'build', claims: {} });
    const answer = await ask(eve);
    expect([answer.status, answer.challenge]).toEqual([403, null]);
    expect(answer.body['detail']).toContain('is granted to eve');
    await app.ask(`POST /v1/people/${await personOf('eve')}/grants`, { json: { role: 'operator', on: ['open/*'] } });
    const { base: elsewhere } = await another();
    const there = await upstream.accessToken({
      subject: 'eve',
      resource: `${elsewhere}/v1`,
      scope: 'build',
      claims: {},
    });
    const { body } = await ask(there, '/v1/whoami', { at: elsewhere });
    expect(body['grants']).toEqual([
      { scopes: ['runs:read', 'runs:write', 'servers:read', 'questions:answer', 'runs:values'], workflows: ['open/*'] },
    ]);
  });

  test('A scope may be one of the four choices, with its limits', async () => {
    for (const [scope, scopes, more] of [
      ['read', ['runs:read', 'servers:read'], { effects: 'read' }],
      ['run', ['runs:read', 'runs:write', 'servers:read'], {}],
      ['run-approved build:other', ['runs:read', 'runs:write', 'servers:read'], {}],
      ['build', ['runs:read', 'runs:write', 'servers:read', 'workflows:write', 'questions:answer'], {}],
      ['read workflows:write', ['runs:read', 'servers:read'], { effects: 'read' }],
      ['openid profile', [], {}],
    ] as const) {
      const { body } = await ask(await signed({ scope }), '/v1/whoami');
      expect([scope, body['approve'], body['grants']]).toEqual([
        scope,
        scope.startsWith('run-approved') ? 'write' : undefined,
        [{ scopes: [...scopes, 'runs:values'], workflows: ['payments/*'], ...more }],
      ]);
    }
  });

  test('A token without scopes gives what its claims give, and nothing that its person was given here', async () => {
    expect((await ask(await signed({ scope: undefined }))).status).toBe(200);
    const bare = { scope: undefined, groups: undefined };
    await app.ask(`POST /v1/people/${await personOf('ana')}/grants`, { json: { role: 'admin' } });
    expect((await ask(await signed(bare))).status).toBe(403);
    await app.ask(`DELETE /v1/people/${await personOf('ana')}/grants`, { json: { role: 'admin' } });
  });

  test('A person who is removed is refused at once, here and within seconds elsewhere, and is not added again', async () => {
    upstream.people.set('cy', { name: 'Cy' });
    const token = await tokenOf({ subject: 'cy' });
    expect((await ask(token)).status).toBe(200);
    const id = await personOf('cy');
    expect((await app.ask(`DELETE /v1/people/${id}`)).status).toBe(204);
    const answer = await ask(token);
    expect([answer.status, answer.body['detail']]).toEqual([401, expect.stringContaining('was removed here')]);
    expect((await ask(await tokenOf({ subject: 'cy' }))).status).toBe(401);
    expect(await personOf('cy')).toBe(id);
    await app.ask(`POST /v1/people/${id}/restore`);
    expect((await ask(token)).status).toBe(200);
  });

  test('A stream of events ends when the person of its token is removed', async () => {
    upstream.people.set('dan', { name: 'Dan' });
    const token = await tokenOf({ subject: 'dan', claims: { groups: ['readers'] } });
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    const stream = await fetch(`${base}/v1/events`, { headers });
    expect(stream.status).toBe(200);
    await app.ask(`DELETE /v1/people/${await personOf('dan')}`);
    expect(await stream.text()).not.toContain('run.requested');
  });

  test('Claims of a token give nothing to a session, a key or another token of the person', async () => {
    await ask(await tokenOf({ claims: { groups: ['payments', 'readers'] } }));
    const id = await personOf('ana');
    const { rows } = await store.pool.query('select claimed, voucher from person where id = $1', [id]);
    expect(rows).toEqual([{ claimed: [], voucher: null }]);
    const made = await app.ask('POST /v1/keys', { json: { name: 'of ana', scopes: ['runs:read'], person: id } });
    expect((await ask(String(made.body['key']))).status).toBe(401);
  });
});

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('attacks', () => {
  test('An attacker gets in with no token of another form, issuer, audience, time or kind', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      sub: 'ana',
      aud: `${base}/v1`,
      iss: upstream.issuer,
      client_id: 'x',
      exp: now + 300,
      scope: 'build',
    };
    const unsigned = `${part({ alg: 'none', typ: 'at+jwt' })}.${part(claims)}.`;
    const head = `${part({ alg: 'HS256', typ: 'at+jwt' })}.${part(claims)}`;
    const withPublicKey = `${head}.${createHmac('sha256', upstream.publicKey).update(head).digest('base64url')}`;
    const good = await signed();
    const [header = '', ...rest] = good.split('.');
    const cases: readonly (readonly [string, string, string])[] = [
      ['no algorithm', unsigned, 'algorithm is none'],
      ['the public key as a secret', withPublicKey, 'algorithm is HS256'],
      ['a changed claim', `${header}.${part({ ...claims, sub: 'boss' })}.${rest[1]}`, 'signature is wrong'],
      ['another issuer', await signed({ iss: 'https://evil.example' }), 'issuer (iss) is https://evil.example'],
      ['its issuer with a slash', await signed({ iss: `${upstream.issuer}/` }), `expected exactly ${upstream.issuer}.`],
      ['no issuer', await signed({ iss: undefined }), 'issuer (iss) is missing'],
      ['another address of Baton', await signed({ aud: `${base}/mcp` }), `It is for ${base}/mcp`],
      ['an address that begins alike', await signed({ aud: `${base}/v1/` }), `expected exactly ${base}/v1`],
      ['several addresses', await signed({ aud: [`${base}/v1`, 'https://other.example'] }), 'several addresses'],
      ['no audience', await signed({ aud: undefined }), 'aud'],
      ['an identity token', await signed({ nonce: 'n' }, { typ: 'JWT' }), 'type (typ) is JWT'],
      ['no type', await signed({}, { typ: undefined }), 'type (typ) is missing'],
      ['an assertion', await signed({}, { typ: 'oauth-id-jag+jwt' }), 'expected at+jwt'],
      ['a past time', await signed({ exp: now - 60 }), 'has expired'],
      ['no end', await signed({ exp: undefined }), 'exp'],
      ['a time to come', await signed({ nbf: now + 300 }), 'not good yet'],
      ['no person', await signed({ sub: undefined }), 'sub'],
      ['a person of no text', await signed({ sub: '\u0000' }), 'other characters than visible ASCII'],
      ['a person of a long text', await signed({ sub: 'x'.repeat(256) }), 'with 256 characters'],
      ['no client', await signed({ client_id: undefined }), 'for which client'],
      ['an unknown key', await signed({}, { kid: 'other' }), 'no key of that name'],
      ['a scope that is a list', await signed({ scope: ['build'] }), 'is no text'],
      [
        'words that it wants understood',
        `${part({ alg: 'RS256', typ: 'at+jwt', crit: ['exp'] })}.${rest.join('.')}`,
        '',
      ],
    ];
    for (const [what, token, why] of cases) {
      const { status, challenge, body } = await ask(token);
      expect([what, status, String(body['detail'])]).toEqual([what, 401, expect.stringContaining(why)]);
      expect([what, challenge]).toEqual([what, expect.stringContaining('error="invalid_token"')]);
    }
    expect((await ask(good)).status).toBe(200);
    expect((await ask(await signed({ exp: 1e300 }), '/v1/whoami')).status).toBe(200);
    expect(await ask(await signed({}, { typ: 'application/at+JWT' }))).toMatchObject({ status: 200 });
  });

  test('A flood of tokens of unknown keys does not ask the issuer with each, and slows its address alone', async () => {
    const { base: there } = await another();
    const aud = `${there}/v1`;
    expect((await ask(await signed({ aud }), '/v1/runs', { at: there })).status).toBe(200);
    const before = upstream.keyRequests;
    const tokens = await Promise.all(Array.from({ length: 40 }, (_, at) => signed({ aud }, { kid: `kid-${at}` })));
    const statuses = await Promise.all(
      tokens.map(async (one) => (await ask(one, '/v1/runs', { at: there, from: '10.9.9.9' })).status),
    );
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(upstream.keyRequests).toBe(before);
    expect((await ask(await signed({ aud }), '/v1/runs', { at: there, from: '10.9.9.9' })).status).toBe(200);
  });

  test('An operator’s own key with dots in it stays a key beside tokens of another server', async () => {
    const text = 'an.operators.key-of-at-least-thirty-two-characters';
    const { app: one, base: there } = await another();
    await ensureAdminKey(store, { given: text, dataFolder: '/nowhere' });
    expect((await ask(text, '/v1/runs', { at: there })).status).toBe(200);
    expect((await one.ask('GET /v1/runs')).status).toBe(200);
  });

  test('Without the setting, no token of another server is taken, and no other server is named', async () => {
    const plain = await openTestApp(store, store.url);
    opened.push(plain);
    const there = await plain.listen();
    expect((await ask(await signed({ aud: `${there}/v1` }), '/v1/runs', { at: there })).status).toBe(401);
    const metadata = await (await fetch(`${there}/.well-known/oauth-protected-resource/v1`)).json();
    expect(metadata).toMatchObject({ authorization_servers: [there] });
    const own = (await (await fetch(`${there}/.well-known/oauth-authorization-server`)).json()) as Record<
      string,
      unknown
    >;
    expect(own['authorization_grant_profiles_supported']).toBeUndefined();
    expect(own['grant_types_supported']).not.toContain('urn:ietf:params:oauth:grant-type:jwt-bearer');
  });
});

describe('faults of the issuer', () => {
  test('While the issuer is down, Baton takes tokens that a known key signed, and tells others to come again.', async () => {
    const { base: there, app: cold } = await another();
    const token = await signed({ aud: `${there}/v1` });
    upstream.isDown = true;
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(token, '/v1/runs', { at: there })));
    for (const { status, retryAfter } of answers) expect([status, Number(retryAfter) > 0]).toEqual([503, true]);
    const asked = upstream.requests;
    expect((await ask(token, '/v1/runs', { at: there })).status).toBe(503);
    expect(upstream.requests).toBe(asked);
    expect((await ask(await signed())).status).toBe(200);
    const key = await cold.newKey(['runs:read']);
    expect((await ask(key, '/v1/runs', { at: there })).status).toBe(200);
  });

  test('An issuer that calls itself otherwise than the setting, or has no keys, is not asked to let anyone in', async () => {
    const { base: there } = await another(`${upstream.issuer}/`);
    const slashed = await signed({ aud: `${there}/v1`, iss: `${upstream.issuer}/` });
    const answer = await ask(slashed, '/v1/runs', { at: there });
    expect([answer.status, answer.body['detail']]).toEqual([
      503,
      expect.stringContaining('write BATON_OAUTH_ISSUER exactly so'),
    ]);
    const odd = createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      const issuer = `http://127.0.0.1:${(odd.address() as AddressInfo).port}`;
      response.end(
        request.url === '/keys' ? '{"keys":"none"}' : JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }),
      );
    });
    await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
    const issuer = `http://127.0.0.1:${(odd.address() as AddressInfo).port}`;
    const { base: elsewhere } = await another(issuer);
    const token = await signed({ aud: `${elsewhere}/v1`, iss: issuer });
    expect((await ask(token, '/v1/runs', { at: elsewhere })).status).toBe(503);
    odd.close();
  });

  test('A key that the issuer begins to sign with is found', async () => {
    const { base: there } = await another();
    upstream.rotate();
    expect((await ask(await signed({ aud: `${there}/v1` }), '/v1/runs', { at: there })).status).toBe(200);
  });
});
