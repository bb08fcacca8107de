/** OAuth for remote servers: logging in, refreshing, and doing without a person. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';

import { AuthorizedServer } from '@baton/testing';
import { describe, expect, onTestFinished, test } from 'vitest';

import { listening } from '../testing/testHttp.ts';
import { textOf, trial, type TestServers } from '../testing/testServers.ts';
import type { TokenStore } from './tokenStore.ts';

const redirectUrl = 'http://127.0.0.1:4400/oauth/callback';

function memoryStore(): TokenStore & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return { kept, load: async (name) => kept.get(name), save: async (name, text) => void kept.set(name, text) };
}

async function started(): Promise<AuthorizedServer> {
  const server = await AuthorizedServer.start();
  onTestFinished(() => server.close());
  return server;
}

const secret = (name: string): string | undefined => ({ CLIENT: 'client-secret', KEY: key() })[name];

let pem: string | undefined;
const key = (): string =>
  (pem ??= generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString());

const using = (server: AuthorizedServer, store: TokenStore, more: object = {}): TestServers =>
  trial({ remote: { url: server.url, ...more } }, { oauth: { store, redirectUrl, timeLimitMs: 2_000 }, secret });

async function loggedIn(more: object = {}) {
  const server = await started();
  const store = memoryStore();
  const servers = using(server, store, more);
  expect(await servers.finishLogin((await server.agree(await servers.login('remote'))).searchParams)).toEqual({
    server: 'remote',
  });
  return { ...servers, server, store };
}

test('a server that wants a token says how to get one, and nothing is registered until a person logs in', async () => {
  const server = await started();
  const { failure } = using(server, memoryStore());
  const failed = await failure('remote', 'greet');
  expect(failed).toMatchObject({ code: 'server-unauthorized', delivery: 'unsent' });
  expect(failed.message).toContain('baton servers login remote');
  expect(server.registered).toEqual([]);
});

describe('an authorization server that is not as the standards have it', () => {
  test.each([
    ['ends with a slash, and the resource names it without', '/', ''],
    ['has no slash, and the resource names it with one', '', '/'],
    ['ends with a slash at both places', '/', '/'],
  ])('may have an issuer that %s', async (_, ofIssuer, ofResource) => {
    const server = await started();
    const base = server.issuer;
    server.issuer = `${base}${ofIssuer}`;
    server.announced = `${base}${ofResource}`;
    const servers = using(server, memoryStore());
    await servers.finishLogin((await server.agree(await servers.login('remote'))).searchParams);
    expect(textOf(await servers.call('remote', 'greet'))).toBe('welcome');
    server.expire();
    expect(textOf(await servers.call('remote', 'greet'))).toBe('welcome');
    const auth = { grant: 'client-credentials', issuer: base, clientId: 'c', clientSecret: '${secret:CLIENT}' };
    const alone = using(server, memoryStore(), { baton: { auth } });
    expect(textOf(await alone.call('remote', 'greet'))).toBe('welcome');
  });

  test('may write null for what it does not set', async () => {
    const server = await started();
    const nulls = { refresh_token: null, scope: null, id_token: null };
    const token = { access_token: 'token-odd', token_type: 'bearer', expires_in: '3600', ...nulls };
    server.odd = (path) => (path === '/token' ? { status: 200, text: JSON.stringify(token) } : undefined);
    const store = memoryStore();
    const servers = using(server, store);
    await servers.finishLogin((await server.agree(await servers.login('remote'))).searchParams);
    expect(store.kept.get('remote')).toContain('token-odd');
  });

  test.each([500, 502, 429])(
    'An authorization server that answers %s to a refresh is out of order, and the login goes on',
    async (status) => {
      const { call, failure, server } = await loggedIn();
      server.expire();
      server.odd = (path) => (path === '/token' ? { status, text: '{"error":"server_error"}' } : undefined);
      const failed = await failure('remote', 'greet');
      expect(failed).toMatchObject({ code: 'server-unreachable' });
      expect(failed.message).toContain(`/token answered ${status}`);
      server.odd = () => undefined;
      expect(textOf(await call('remote', 'greet'))).toBe('welcome');
    },
  );

  test('An authorization server that breaks the connection at a refresh is out of order', async () => {
    const { failure, server } = await loggedIn();
    server.expire();
    server.isStuck = true;
    expect(await failure('remote', 'greet')).toMatchObject({ code: 'server-unreachable' });
  });

  test('An authorization server that takes no registration is said with the keys that help', async () => {
    const server = await started();
    const { registration_endpoint: _, ...metadata } = server.described();
    const text = JSON.stringify(metadata);
    server.odd = (path) => (/well-known\/o(?:auth-authorization|penid)/.test(path) ? { status: 200, text } : undefined);
    const failed = await using(server, memoryStore())
      .login('remote')
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({
      code: 'server-unauthorized',
      message: expect.stringContaining('"clientId"') as string,
    });
  });

  test('An authorization server that has the page of an app at each address is no authorization server, which is said', async () => {
    const server = await started();
    const page = { status: 200, text: '<!doctype html><html></html>', type: 'text/html' };
    server.odd = (path) => (path === '/mcp' ? undefined : page);
    const failed = await using(server, memoryStore())
      .login('remote')
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({ message: expect.stringMatching(/\/register answered 200 and no JSON/) as string });
  });

  test('An authorization server is not what failed where the store of tokens did', async () => {
    const server = await started();
    const down = new Error('the database is slow');
    const store = { load: async () => undefined, save: () => Promise.reject(down) };
    expect(
      await using(server, store)
        .login('remote')
        .catch((error: unknown) => error),
    ).toBe(down);
  });
});

describe('logging in', () => {
  test('registers, agrees, exchanges the code with PKCE, and then calls are made', async () => {
    const { call, server } = await loggedIn();
    expect(textOf(await call('remote', 'greet'))).toBe('welcome');
    expect(server.registered).toMatchObject([{ client_name: 'Baton', redirect_uris: [redirectUrl] }]);
    expect(server.asked).toMatchObject([
      { grant_type: 'authorization_code', code_verifier: expect.any(String) as string, resource: server.url },
    ]);
    expect(server.seen.at(-1)).toMatch(/^Bearer token-/);
  });

  test('may begin in one process and end in another, and a third uses it', async () => {
    const server = await started();
    const store = memoryStore();
    const answer = (await server.agree(await using(server, store).login('remote'))).searchParams;
    await using(server, store).finishLogin(answer);
    expect(textOf(await using(server, store).call('remote', 'greet'))).toBe('welcome');
  });

  test('over plain HTTP, too', async () => {
    const { call } = await loggedIn({ type: 'http-plain' });
    expect(textOf(await call('remote', 'greet'))).toBe('welcome');
  });

  test.each([
    ['that no login began', (answer: URLSearchParams) => answer.set('state', 'remote~guessed')],
    ['of another authorization server', (answer: URLSearchParams) => answer.set('iss', 'https://evil.example')],
    [
      'of an issuer with a slash that the metadata has not',
      (answer: URLSearchParams, { issuer }: AuthorizedServer) => answer.set('iss', `${issuer}/`),
    ],
    ['without a code', (answer: URLSearchParams) => answer.delete('code')],
    ['that says no', (answer: URLSearchParams) => answer.set('error', 'access_denied')],
  ])('ends with an answer %s: no token is asked for', async (_, spoil) => {
    const server = await started();
    const servers = using(server, memoryStore());
    const answer = (await server.agree(await servers.login('remote'))).searchParams;
    spoil(answer, server);
    await expect(servers.finishLogin(answer)).rejects.toMatchObject({ code: 'server-unauthorized' });
    expect(server.asked).toEqual([]);
  });

  test('is refused where a token is configured, or the server is a process', async () => {
    const server = await started();
    const fixed = using(server, memoryStore(), { headers: { Authorization: 'Bearer fixed' } });
    await expect(fixed.login('remote')).rejects.toMatchObject({ code: 'server-rejected' });
    const process = trial({ local: { command: 'true' } }, { oauth: { store: memoryStore() } });
    await expect(process.login('local')).rejects.toMatchObject({ code: 'server-rejected' });
  });

  test('is not carried over to another address of the same name', async () => {
    const { store } = await loggedIn();
    const other = await started();
    const { failure } = using(other, store);
    expect(await failure('remote', 'greet')).toMatchObject({ code: 'server-unauthorized' });
    expect(other.seen.filter((authorization) => authorization !== undefined)).toEqual([]);
  });
});

describe('a token that has expired', () => {
  test('is refreshed, once for all who need it, and their calls are made', async () => {
    const { call, server } = await loggedIn();
    await call('remote', 'greet');
    server.expire();
    const all = await Promise.all(Array.from({ length: 8 }, () => call('remote', 'greet')));
    expect(all.map(textOf)).toEqual(Array.from({ length: 8 }, () => 'welcome'));
    expect(server.asked.map((form) => form['grant_type'])).toEqual(['authorization_code', 'refresh_token']);
  });

  test('and was refreshed by another process is taken from there', async () => {
    const { call, server, store } = await loggedIn();
    const other = using(server, store);
    await Promise.all([call('remote', 'greet'), other.call('remote', 'greet')]);
    server.expire();
    await call('remote', 'greet');
    expect(textOf(await other.call('remote', 'greet'))).toBe('welcome');
    expect(server.asked).toHaveLength(2);
  });

  test('and cannot be refreshed is a failure that names the way out', async () => {
    const { call, failure, server } = await loggedIn();
    await call('remote', 'greet');
    server.forget();
    const failed = await failure('remote', 'greet');
    expect(failed).toMatchObject({ code: 'server-unauthorized', delivery: 'rejected' });
    expect(failed.message).toContain('baton servers login remote');
  });
});

test('an authorization server that does not finish its answer is given up: the call did not run, and the next one is made', async () => {
  const server = await started();
  const auth = {
    grant: 'client-credentials',
    issuer: server.issuer,
    clientId: 'baton',
    clientSecret: '${secret:CLIENT}',
  };
  const { call, failure } = using(server, memoryStore(), { baton: { auth } });
  await call('remote', 'greet');
  server.expire();
  server.isStuck = true;
  const failed = await failure('remote', 'greet');
  expect(failed).toMatchObject({ code: 'server-unreachable', delivery: 'rejected' });
  expect(failed.message).toContain('No token for the server "remote" could be had');
  server.isStuck = false;
  expect(textOf(await call('remote', 'greet'))).toBe('welcome');
});

test('a server that names its token endpoint does not lead Baton into private networks', async () => {
  const inside = createServer(() => {});
  let knocks = 0;
  inside.on('connection', (socket) => {
    knocks += 1;
    socket.destroy();
  });
  inside.listen(0, '127.0.0.2');
  await once(inside, 'listening');
  onTestFinished(() => void inside.close());
  const server = await started();
  server.metadata = `http://127.0.0.2:${(inside.address() as AddressInfo).port}/metadata`;
  const servers = trial(
    { remote: { url: server.url } },
    { oauth: { store: memoryStore(), redirectUrl }, addresses: { loopback: false, networks: ['127.0.0.1/32'] } },
  );
  await servers.login('remote').catch(() => {});
  await servers.failure('remote', 'greet');
  expect(server.seen.length).toBeGreaterThan(0);
  expect(knocks).toBe(0);
});

describe('what a server names', () => {
  const led = (server: AuthorizedServer, more: object = {}): TestServers =>
    trial({ remote: { url: server.url, ...more } }, { oauth: { store: memoryStore(), redirectUrl } });

  test.each([
    ['its metadata', (server: AuthorizedServer, there: string) => (server.metadata = `${there}/metadata`)],
    ['its authorization server', (server: AuthorizedServer, there: string) => (server.issuer = there)],
    ['where clients register', (server: AuthorizedServer, there: string) => (server.registersAt = `${there}/register`)],
  ])('%s: another port of this machine is not asked, though the server itself is there', async (_, name) => {
    const paths: (string | undefined)[] = [];
    const there = await listening(({ url }, response) => {
      paths.push(url);
      response.writeHead(404).end();
    });
    const server = await started();
    name(server, there);
    await led(server)
      .login('remote')
      .catch(() => {});
    expect(server.seen).toHaveLength(1);
    expect(paths).toEqual([]);
  });

  test('where tokens are given: another port of this machine gets no code', async () => {
    const paths: (string | undefined)[] = [];
    const there = await listening(({ url }, response) => {
      paths.push(url);
      response.writeHead(404).end();
    });
    const server = await started();
    server.tokensAt = `${there}/token`;
    const servers = led(server);
    const answer = (await server.agree(await servers.login('remote'))).searchParams;
    await expect(servers.finishLogin(answer)).rejects.toThrow('is named by the server and not in mcp.json');
    expect(paths).toEqual([]);
  });

  test('over https: this machine is not connected to either', async () => {
    let knocks = 0;
    const inside = createTcpServer((socket) => {
      knocks += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(inside, 'listening');
    onTestFinished(() => void inside.close());
    const server = await started();
    const { port } = inside.address() as AddressInfo;
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
      server.metadata = `https://${host}:${port}/metadata`;
      await led(server)
        .login('remote')
        .catch(() => {});
    }
    expect(knocks).toBe(0);
  });

  test('is refused with the setting that allows it, and used once that is set', async () => {
    const [server, other] = [await started(), await started()];
    server.issuer = other.issuer;
    const refused = await led(server)
      .login('remote')
      .catch((error: unknown) => String(error));
    expect(refused).toContain(`${other.issuer} is named by the server and not in mcp.json: it is not https`);
    expect(refused).toContain(`add "${other.issuer}" to "baton": { "origins": […] } of "remote"`);
    const address = await led(server, { baton: { origins: [other.issuer] } }).login('remote');
    expect(address).toContain(`${other.issuer}/authorize`);
    expect(other.registered).toHaveLength(1);
  });
});

describe('logging out', () => {
  test('forgets the tokens, has them taken back, and closes the sessions', async () => {
    const { call, failure, logout, status, server, store } = await loggedIn();
    await call('remote', 'greet');
    const [token = ''] = server.seen.at(-1)?.split(' ').slice(1) ?? [];
    expect(await logout('remote')).toEqual({ wasLoggedIn: true, problem: undefined });
    expect(server.revoked).toMatchObject([
      { token: token.replace('token', 'refresh'), token_type_hint: 'refresh_token', client_id: 'client-1' },
      { token, token_type_hint: 'access_token', client_id: 'client-1' },
    ]);
    expect(store.kept.get('remote')).not.toMatch(/(token|refresh)-\d/);
    expect(status()).toMatchObject([{ sessions: { open: 0 } }]);
    const seen = server.seen.length;
    expect(await failure('remote', 'greet')).toMatchObject({ code: 'server-unauthorized' });
    expect(server.seen.slice(seen)).toEqual([undefined]);
    expect(await logout('remote')).toEqual({ wasLoggedIn: false, problem: undefined });
  });

  test('and in again uses the same client registration', async () => {
    const { call, login, logout, finishLogin, server } = await loggedIn();
    await logout('remote');
    await finishLogin((await server.agree(await login('remote'))).searchParams);
    expect(textOf(await call('remote', 'greet'))).toBe('welcome');
    expect(server.registered).toHaveLength(1);
  });

  test('where tokens are not taken back says so, and forgets them all the same', async () => {
    const server = await started();
    server.takesBack = false;
    const store = memoryStore();
    const servers = using(server, store);
    await servers.finishLogin((await server.agree(await servers.login('remote'))).searchParams);
    const { wasLoggedIn, problem } = await servers.logout('remote');
    expect([wasLoggedIn, problem]).toEqual([true, expect.stringContaining('does not offer revocation')]);
    expect(await servers.failure('remote', 'greet')).toMatchObject({ code: 'server-unauthorized' });
  });

  test('is noticed by other processes, which send nothing more that they had', async () => {
    const { call, logout, server, store } = await loggedIn();
    server.takesBack = false;
    const other = trial({ remote: { url: server.url } }, { oauth: { store, redirectUrl, freshMs: 0 } });
    await call('remote', 'greet');
    await other.call('remote', 'greet');
    await logout('remote');
    const seen = server.seen.length;
    expect(await other.failure('remote', 'greet')).toMatchObject({ code: 'server-unauthorized' });
    expect(server.seen.slice(seen).filter((authorization) => authorization !== undefined)).toEqual([]);
  });

  test('while a token is being refreshed keeps none', async () => {
    const { call, failure, server, store } = await loggedIn();
    await call('remote', 'greet');
    server.expire();
    server.onToken = () => void store.kept.set('remote', JSON.stringify({ url: server.url }));
    expect(await failure('remote', 'greet')).toMatchObject({ code: 'server-unauthorized' });
    expect(store.kept.get('remote')).not.toMatch(/(token|refresh)-\d/);
  });

  test('gives up a login that has begun', async () => {
    const server = await started();
    const servers = using(server, memoryStore());
    const answer = (await server.agree(await servers.login('remote'))).searchParams;
    await servers.logout('remote');
    await expect(servers.finishLogin(answer)).rejects.toMatchObject({ code: 'server-unauthorized' });
    expect(server.asked).toEqual([]);
  });

  test('is refused where Baton has credentials of its own, or the server is a process', async () => {
    const server = await started();
    const auth = { grant: 'client-credentials', issuer: server.issuer, clientId: 'baton', clientSecret: 'x' };
    await expect(using(server, memoryStore(), { baton: { auth } }).logout('remote')).rejects.toMatchObject({
      code: 'server-unauthorized',
    });
    const local = trial({ local: { command: 'true' } }, { oauth: { store: memoryStore() } });
    await expect(local.logout('local')).rejects.toMatchObject({ code: 'server-rejected' });
  });
});

describe('without a person', () => {
  test.each([
    ['client-credentials', { clientSecret: '${secret:CLIENT}' }],
    ['private-key-jwt', { privateKey: '${secret:KEY}' }],
  ])('%s: a token is asked for when it is needed, and again when it has expired', async (grant, more) => {
    const server = await started();
    const auth = { grant, issuer: server.issuer, clientId: 'baton', scope: 'use', ...more };
    const { call, login } = using(server, memoryStore(), { baton: { auth } });
    expect(textOf(await call('remote', 'greet'))).toBe('welcome');
    server.expire();
    expect(textOf(await call('remote', 'greet'))).toBe('welcome');
    expect(server.asked).toMatchObject([{ grant_type: 'client_credentials' }, { grant_type: 'client_credentials' }]);
    expect(server.registered).toEqual([]);
    expect(await login('remote')).toBeUndefined();
  });

  test('another authorization server than the one that is named gets no credentials', async () => {
    const server = await started();
    const auth = { grant: 'client-credentials', issuer: 'https://ours.example', clientId: 'baton', clientSecret: 'x' };
    const { failure } = using(server, memoryStore(), { baton: { auth } });
    expect(await failure('remote', 'greet')).toMatchObject({ code: 'server-unauthorized' });
    expect(server.asked).toEqual([]);
  });
});
