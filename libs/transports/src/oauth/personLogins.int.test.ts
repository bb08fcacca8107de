/** Servers at which each person has a login of their own. */
import { setTimeout } from 'node:timers/promises';

import type { RunPerson } from '@baton/engine';
import { loginOf } from '@baton/protocol';
import { isWithoutLogin, UnavailableError, unavailableIn } from '@baton/runner';
import { AuthorizedServer } from '@baton/testing';
import { expect, onTestFinished, test } from 'vitest';

import { type TestServers, textOf, trial } from '../testing/testServers.ts';
import type { TokenStore } from './tokenStore.ts';

const redirectUrl = 'http://127.0.0.1:4400/oauth/callback';
const ana: RunPerson = { id: 'person-ana', name: 'ana' };
const bob: RunPerson = { id: 'person-bob', name: 'bob' };

function memoryStore(): TokenStore & { readonly kept: Map<string, string>; readonly suspended: Set<string> } {
  const kept = new Map<string, string>();
  const suspended = new Set<string>();
  const nameOf = (...names: (string | undefined)[]): string => names.join(' ');
  return {
    kept,
    suspended,
    isSuspended: async (login) => suspended.has(login),
    load: async (server, login) => kept.get(nameOf(server, login)),
    save: async (server, text, login) => void kept.set(nameOf(server, login), text),
  };
}

async function started(store = memoryStore()) {
  const server = await AuthorizedServer.start();
  onTestFinished(() => server.close());
  const open = (freshMs?: number): TestServers =>
    trial(
      { gh: { url: server.url, baton: { auth: { per: 'person' } } } },
      { oauth: { store, redirectUrl, timeLimitMs: 2_000, ...(freshMs !== undefined && { freshMs }) } },
    );
  const servers = open();
  return { server, servers, open, store };
}

/** The person agrees in their own browser, and confirms there. */
async function logIn(server: AuthorizedServer, servers: TestServers, person?: RunPerson): Promise<void> {
  const { searchParams } = await server.agree(await servers.login('gh', person));
  const { unconfirmed } = await servers.finishLogin(searchParams);
  expect(unconfirmed?.person).toBe(person?.name);
  if (unconfirmed === undefined) return;
  searchParams.set('confirm', unconfirmed.proof);
  expect(await servers.finishLogin(searchParams)).toEqual({ server: 'gh' });
}

const greet = (servers: TestServers, person?: RunPerson) =>
  servers.call('gh', 'greet', {}, { ...(person && { person }) });

const refused = (servers: TestServers, person?: RunPerson) =>
  servers.failure('gh', 'greet', {}, { ...(person && { person }) });

test('a call of a person without a login is not sent, and one sentence says who has to do what', async () => {
  const { server, servers } = await started();
  await logIn(server, servers, ana);
  expect(textOf(await greet(servers, ana))).toBe('welcome');
  const before = server.seen.length;
  expect(await refused(servers, bob)).toMatchObject({
    code: 'server-unauthorized',
    delivery: 'unsent',
    message: 'bob has to log in: baton servers login gh. Nothing was sent.',
  });
  expect(await refused(servers)).toMatchObject({
    delivery: 'unsent',
    message: expect.stringContaining('A person has to log in') as string,
  });
  expect(server.seen.length).toBe(before);
});

test('Where a person did not agree to what is called, no login is used in place of theirs, and none is waited for.', async () => {
  const { server, servers } = await started();
  for (const person of [ana, undefined]) await logIn(server, servers, person);
  const before = server.seen.length;
  const notAgreed = { ...ana, notAgreed: 'bob deployed look 2 after ana had deployed nightly 1.' };
  expect(await refused(servers, notAgreed)).toMatchObject({
    code: 'server-unauthorized',
    delivery: 'unsent',
    message: notAgreed.notAgreed,
  });
  expect(servers.mayLackLogin('gh', notAgreed)).toBe(false);
  expect(server.seen.length).toBe(before);
});

test('a list of tools that one person was shown is not shown to another', async () => {
  const { server, servers } = await started();
  await logIn(server, servers, ana);
  expect((await servers.catalogue('gh', undefined, ana)).tools).toHaveLength(1);
  await expect(servers.catalogue('gh', undefined, bob)).rejects.toMatchObject({ code: 'server-unauthorized' });
  expect(servers.listed('gh')).toBeUndefined();
});

test('each request has the token of its person, in sessions that no other has', async () => {
  const { server, servers } = await started();
  for (const person of [ana, bob, undefined]) await logIn(server, servers, person);
  server.seen.length = 0;
  const sessions = new Map<string, Set<string>>();
  const use = async (person: RunPerson | undefined): Promise<void> => {
    const own = sessions.get(person?.id ?? '') ?? new Set<string>();
    sessions.set(person?.id ?? '', own.add((await greet(servers, person)).session?.session ?? ''));
  };
  await Promise.all(Array.from({ length: 30 }, (_, n) => use([ana, bob, undefined][n % 3])));
  expect(new Set(server.seen).size).toBe(3);
  const all = [...sessions.values()].flatMap((own) => [...own]);
  expect(new Set(all).size).toBe(all.length);
  expect(servers.status()[0]).toMatchObject({ state: 'ready', sessions: { open: all.length } });
});

test('the log-out of one person leaves the login of another', async () => {
  const { server, servers } = await started();
  for (const person of [ana, bob]) await logIn(server, servers, person);
  expect(await servers.logout('gh', bob)).toMatchObject({ wasLoggedIn: true });
  expect(await servers.logout('gh', bob)).toMatchObject({ wasLoggedIn: false });
  expect(await refused(servers, bob)).toMatchObject({ code: 'server-unauthorized' });
  expect(textOf(await greet(servers, ana))).toBe('welcome');
});

test('a login is found by every process as soon as it is there, also after failures without it', async () => {
  const { server, servers, open } = await started();
  const elsewhere = open();
  for (let count = 0; count < 8; count += 1)
    expect(await refused(elsewhere, ana)).toMatchObject({ delivery: 'unsent' });
  await logIn(server, servers, ana);
  expect(textOf(await greet(elsewhere, ana))).toBe('welcome');
});

test('a login that has ended says whose it was, and another one goes on at once', async () => {
  const { server, servers } = await started();
  await logIn(server, servers, ana);
  await greet(servers, ana);
  server.forget();
  const failed = await refused(servers, ana);
  expect(failed).toMatchObject({ code: 'server-unauthorized' });
  expect(failed.message).toContain('ana has to log in: baton servers login gh');
  await logIn(server, servers, ana);
  expect(textOf(await greet(servers, ana))).toBe('welcome');
});

test('After a person logged out at another process, the next call lines up again, and calls wait for their login from then on.', async () => {
  const { server, servers, open } = await started();
  const elsewhere = open(0);
  await logIn(server, servers, ana);
  expect(textOf(await greet(elsewhere, ana))).toBe('welcome');
  expect(elsewhere.mayLackLogin('gh', ana)).toBe(false);
  await servers.logout('gh', ana);
  const first = await refused(elsewhere, ana);
  expect([first.delivery, isWithoutLogin(first)]).toEqual(['unsent', false]);
  expect([elsewhere.mayLackLogin('gh', ana), await elsewhere.lacksLogin('gh', ana)]).toEqual([true, true]);
  const next = await refused(elsewhere, ana);
  expect([next.delivery, isWithoutLogin(next)]).toEqual(['unsent', true]);
});

test('A login that has ended, and that no refresh token renews, is none any more: calls wait for the next one.', async () => {
  const { server, servers, store } = await started();
  await logIn(server, servers, ana);
  await greet(servers, ana);
  for (const [name, text] of store.kept) {
    const { tokens, ...rest } = JSON.parse(text) as { readonly tokens: object };
    store.kept.set(name, JSON.stringify({ ...rest, tokens: { ...tokens, refresh_token: undefined } }));
  }
  server.forget();
  expect(await refused(servers, ana)).toMatchObject({ code: 'server-unauthorized' });
  expect(await servers.lacksLogin('gh', ana)).toBe(true);
  await logIn(server, servers, ana);
  expect(textOf(await greet(servers, ana))).toBe('welcome');
});

test('A login that is suspended sends nothing, and calls wait for it; afterwards it goes on with the tokens that it had.', async () => {
  const { server, open, store } = await started();
  const [one, elsewhere] = [open(0), open(0)];
  await logIn(server, one, ana);
  expect(textOf(await greet(one, ana))).toBe('welcome');
  const [seen, asked] = [server.seen.length, server.asked.length];
  store.suspended.add(loginOf(ana.id));
  for (const servers of [one, elsewhere]) {
    expect(await refused(servers, ana)).toMatchObject({ code: 'server-unauthorized', delivery: 'unsent' });
    expect([servers.mayLackLogin('gh', ana), await servers.lacksLogin('gh', ana)]).toEqual([true, true]);
  }
  expect([server.seen.length, server.asked.length]).toEqual([seen, asked]);
  store.suspended.clear();
  for (const servers of [one, elsewhere]) expect(textOf(await greet(servers, ana))).toBe('welcome');
  expect(server.asked.length).toBe(asked);
});

test('A token that is renewed while its login is being suspended is kept for afterwards, and not used before.', async () => {
  const { server, open, store } = await started();
  const servers = open(0);
  await logIn(server, servers, ana);
  await greet(servers, ana);
  server.expire();
  server.onToken = () => void store.suspended.add(loginOf(ana.id));
  const seen = server.seen.length;
  expect(await refused(servers, ana)).toMatchObject({ code: 'server-unauthorized' });
  // The call with the token that had expired.
  expect(server.seen.slice(seen).filter((authorization) => authorization !== undefined)).toHaveLength(1);
  store.suspended.clear();
  expect(textOf(await greet(servers, ana))).toBe('welcome');
});

test('A login that is suspended while a call is under way is kept, though the server refuses its token.', async () => {
  const { server, open, store } = await started();
  const servers = open(0);
  await logIn(server, servers, ana);
  await greet(servers, ana);
  server.expire();
  server.odd = () => {
    store.suspended.add(loginOf(ana.id));
    return undefined;
  };
  expect(await refused(servers, ana)).toMatchObject({ code: 'server-unauthorized' });
  server.odd = () => undefined;
  store.suspended.clear();
  expect(textOf(await greet(servers, ana))).toBe('welcome');
});

test('The tokens of a login that is over are revoked at the address for which they were given, and at no other.', async () => {
  const { server, servers, store } = await started();
  await logIn(server, servers, ana);
  const text = store.kept.get(`gh ${loginOf(ana.id)}`) ?? '';
  store.kept.clear();
  expect(await servers.revoke('gh', text.replace(server.url, 'https://other.example/mcp'))).toMatchObject({
    message: expect.stringContaining('another address') as string,
    isLasting: true,
  });
  expect(server.revoked).toEqual([]);
  server.odd = (path) => (path === '/revoke' ? { status: 503, text: '' } : undefined);
  expect(await servers.revoke('gh', text)).toMatchObject({ isLasting: false });
  server.odd = () => undefined;
  expect(await servers.revoke('gh', text)).toBeUndefined();
  expect(server.revoked.map(({ token_type_hint: hint }) => hint)).toEqual(['refresh_token', 'access_token']);
});

test('A login that ended elsewhere is used for five seconds at most.', async () => {
  const { server, servers, store } = await started();
  await logIn(server, servers, ana);
  expect(textOf(await greet(servers, ana))).toBe('welcome');
  store.kept.clear();
  await setTimeout(5_100);
  expect(await refused(servers, ana)).toMatchObject({ code: 'server-unauthorized', delivery: 'unsent' });
});

test('A call whose token cannot be read is not sent, and is no word against its server: once it can, the call is made at once.', async () => {
  const store = memoryStore();
  const { load } = store;
  const { server, servers } = await started(store);
  await logIn(server, servers, ana);
  const [auth, oauth] = [{ per: 'person' }, { store, redirectUrl, freshMs: 0 }];
  const elsewhere = trial({ gh: { url: server.url, baton: { auth } }, shared: { url: server.url } }, { oauth });
  const unread = async (name: string, person?: RunPerson) =>
    unavailableIn(await elsewhere.failure(name, 'greet', {}, { ...(person && { person }) }))?.message;
  const allFail = async (): Promise<void> => {
    for (let count = 0; count < 8; count += 1) {
      expect([await unread('gh', ana), await unread('shared')]).toEqual(['It is away.', 'It is away.']);
      await expect(elsewhere.lacksLogin('gh', ana)).rejects.toThrow(UnavailableError);
    }
  };
  const away = (): Promise<never> => Promise.reject(new UnavailableError('It is away.'));
  server.seen.length = 0;
  store.load = away;
  await allFail();
  store.load = load;
  expect(textOf(await greet(elsewhere, ana))).toBe('welcome');
  store.load = away;
  await allFail();
  store.load = load;
  expect(textOf(await greet(elsewhere, ana))).toBe('welcome');
  expect(elsewhere.status().map(({ name, lastError, breaker }) => [name, lastError, breaker?.failures])).toEqual([
    ['gh', undefined, 0],
    ['shared', undefined, 0],
  ]);
});

test('A call to a server that cannot be asked for a login waits for none: it says itself what is wrong.', async () => {
  const auth = { per: 'person' };
  const servers = trial(
    {
      gone: { url: 'https://gone.example/mcp', disabled: true, baton: { auth } },
      keyless: { url: 'https://keyless.example/mcp', headers: { 'x-key': '${secret:NONE}' }, baton: { auth } },
    },
    { oauth: { store: memoryStore(), redirectUrl } },
  );
  expect(servers.mayLackLogin('gone', ana)).toBe(false);
  expect([servers.mayLackLogin('keyless', ana), await servers.lacksLogin('keyless', ana)]).toEqual([true, false]);
  const failed = await servers.failure('keyless', 'greet', {}, { person: ana });
  expect(failed.message).toContain('there is no such secret');
});

test('what comes back without the confirmation of its browser is no login', async () => {
  const { server, servers } = await started();
  const { searchParams } = await server.agree(await servers.login('gh', ana));
  for (const guess of ['', 'yes', '0'.repeat(64)]) {
    searchParams.set('confirm', guess);
    expect(await servers.finishLogin(searchParams)).toMatchObject({ unconfirmed: { person: 'ana' } });
  }
  expect(server.asked).toEqual([]);
  expect(await refused(servers, ana)).toMatchObject({ delivery: 'unsent' });
});

test('the address of one person, answered as that of another, logs no person in', async () => {
  const { server, servers } = await started();
  const { searchParams } = await server.agree(await servers.login('gh', ana));
  const other = new URL((await servers.login('gh', bob)) ?? '').searchParams.get('state') ?? '';
  const [, ofAna] = (searchParams.get('state') ?? '').split('~');
  const [, ofBob] = other.split('~');
  for (const state of [
    other.replace(ofBob ?? '', ofAna ?? ''),
    (searchParams.get('state') ?? '').replace(ofAna ?? '', ofBob ?? ''),
  ]) {
    const answer = new URLSearchParams(searchParams);
    answer.set('state', state);
    await expect(servers.finishLogin(answer)).rejects.toMatchObject({ code: 'server-unauthorized' });
  }
});

test('at a server without logins of people, all use the one of the installation', async () => {
  const server = await AuthorizedServer.start();
  onTestFinished(() => server.close());
  const servers = trial({ gh: { url: server.url } }, { oauth: { store: memoryStore(), redirectUrl } });
  await servers.finishLogin((await server.agree(await servers.login('gh', bob))).searchParams);
  expect(textOf(await greet(servers, ana))).toBe('welcome');
  expect(textOf(await greet(servers))).toBe('welcome');
});
