/**
 * Goal: people log in at an identity provider, a real one, and have what its claims give them: no more, not as another
 * person, and not longer than the provider vouches for them.
 */
import { Vouchers } from '@baton/control';
import { IdentityProvider } from '@baton/oauth';
import { loginOf } from '@baton/protocol';
import { storedAuthorizations, Vault } from '@baton/store';
import { type FreshStore, freshStore, Upstream, upstreamClient } from '@baton/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import type { AppParts } from '../../appParts.ts';
import { TestBrowser } from '../../testing/oauthClient.ts';
import { type TestApp, openTestApp } from '../../testing/testApp.ts';

const vault = new Vault(Buffer.alloc(32, 9));
const opened: TestApp[] = [];
let store: FreshStore;
let upstream: Upstream;
let app: TestApp;
let base: string;

const rules = [
  { when: 'groups.exists(g, g == "payments")', role: 'operator', on: ['payments/*'], effects: 'read' },
  { when: '"boss" in groups', role: 'admin' },
  { when: 'groups', role: 'admin' },
  { when: '!("staff" in groups)', role: 'viewer', on: ['open/*'] },
] as const;

const providerParts = (clientSecret: string, issuer = upstream.issuer): Partial<AppParts> => ({
  vault,
  trustedProxies: ['127.0.0.1'],
  provider: {
    provider: new IdentityProvider({ issuer, clientId: upstreamClient.clientId, clientSecret }),
    contact: 'it@acme.example',
  },
  claimRules: rules,
});

/** Another process of the same installation. */
async function another(parts: Partial<AppParts> = providerParts(upstreamClient.clientSecret)) {
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
  upstream.people.clear();
  upstream.people.set('ana', { name: 'Ana (Lopez)', email: 'ana@acme.example', groups: ['payments'] });
  upstream.subject = 'ana';
});

afterAll(async () => {
  for (const one of opened) await one.close();
  await upstream.close();
  await store.close();
});

/** Follows the browser from page to page, until none sends it on, or it is sent to `until`. */
async function follow(browser: TestBrowser, address: string, until?: string): Promise<URL> {
  const answer = await browser.open(address);
  const next = answer.headers.get('location');
  if (next === null) throw new Error(`${answer.status} ${await answer.text()}`);
  const url = new URL(next, address);
  const isEnd = until === undefined ? url.origin === base && url.pathname !== '/oidc/callback' : url.pathname === until;
  if (isEnd) return url;
  return follow(browser, url.href, until);
}

/** The address to which the provider sends the browser back. */
const comeBack = (browser: TestBrowser, at = base): Promise<URL> =>
  follow(browser, `${at}/oidc/login`, '/oidc/callback');

async function logIn(subject = 'ana'): Promise<TestBrowser> {
  upstream.subject = subject;
  const browser = new TestBrowser(base);
  const back = await comeBack(browser);
  const { status } = await browser.open(back);
  expect(status).toBe(303);
  return browser;
}

const seen = async (answer: Promise<Response>): Promise<string> => {
  const { status, text } = await answer.then(async (one) => ({ status: one.status, text: await one.text() }));
  const [, title = ''] = /<h1>(.*?)<\/h1>/.exec(text) ?? [];
  return `${status} ${title}: ${/<p>(.*?)<\/p>/.exec(text)?.[1] ?? text}`;
};

const personOf = async (subject: string) => {
  const { rows } = await store.pool.query<{ id: string; name: string; voucher: string | null; claimed: unknown }>(
    'select id, name, voucher, claimed from person where subject = $1',
    [subject],
  );
  return rows[0] ?? { id: '', name: '', voucher: null, claimed: [] };
};

/** As if the provider had been asked last so long ago. */
async function age(subject: string, ms: number): Promise<void> {
  const vouchers = new Vouchers(vault.keysFor('vouchers of identity providers'));
  const { id, voucher } = await personOf(subject);
  const known = vouchers.open(id, voucher ?? '');
  if (known === undefined) throw new Error(`${subject} has no voucher`);
  const older = vouchers.seal(id, { ...known, until: known.until - ms });
  await store.pool.query('update person set voucher = $2, asked_at = null where id = $1', [id, older]);
}

describe('log-in at a provider', () => {
  test('A log-in gives a session of the person, with what the rules give, by name in the audit, and at the page that was open', async () => {
    const browser = new TestBrowser(base);
    const end = await follow(browser, `${base}/oidc/login?to=/connect/abc`);
    expect(end.href).toBe(`${base}/connect/abc`);
    expect(await browser.json('/v1/session')).toMatchObject({
      person: { name: 'Ana Lopez' },
      workflows: ['payments/*', 'open/*'],
    });
    const { id } = await personOf('ana');
    const { body } = await app.ask(`GET /v1/people/${id}`);
    expect(body).toMatchObject({
      account: { issuer: upstream.issuer, subject: 'ana' },
      createdBy: `Ana Lopez (${upstream.issuer}#ana)`,
      grants: [
        { role: 'operator', on: ['payments/*'], effects: 'read', from: 'claims' },
        { role: 'viewer', on: ['open/*'], from: 'claims' },
      ],
    });
    expect((await app.ask('POST /v1/audit/verify')).body).toMatchObject({ isIntact: true });
  });

  test('A log-in takes what claims give at each time, beside what was given by hand', async () => {
    upstream.people.set('cy', { name: 'Cy', groups: ['payments', 'staff'] });
    await logIn('cy');
    const { id } = await personOf('cy');
    await app.ask(`POST /v1/people/${id}/grants`, { json: { role: 'viewer', on: ['mine/*'] } });
    upstream.people.set('cy', { name: 'Cy', groups: ['staff'] });
    await logIn('cy');
    const { body } = await app.ask(`GET /v1/people/${id}`);
    expect(body['grants']).toMatchObject([{ role: 'viewer', on: ['mine/*'], from: 'here' }]);
  });

  test('A person whose name changes at the provider is one person in the audit, by both names', async () => {
    upstream.people.set('lea', { name: 'Lea', groups: ['payments'] });
    await logIn('lea');
    upstream.people.set('lea', { name: 'Lea Ruiz', groups: ['payments'] });
    await logIn('lea');
    const { id } = await personOf('lea');
    const { body } = await app.ask(`GET /v1/audit?by=${id}`);
    const written = (body['data'] as { by: string }[]).map(({ by }) => by);
    expect(new Set(written.map((by) => by.split(' (')[0]))).toEqual(new Set(['Lea', 'Lea Ruiz']));
    const [, shownId = ''] = /\((.*)\)$/.exec(written[0] ?? '') ?? [];
    expect(shownId).toContain('#lea');
    expect((await app.ask(`GET /v1/audit?by=${encodeURIComponent(shownId)}`)).body['data']).toEqual(body['data']);
  });

  test('A log-in of a person without any grant gives no session, and a page says so, and whom to ask', async () => {
    upstream.people.set('eve', { name: 'Eve <b>', groups: ['staff', 'admin', 'boss '] });
    upstream.subject = 'eve';
    const browser = new TestBrowser(base);
    const back = await comeBack(browser);
    const answer = await browser.open(back);
    expect(answer.headers.getSetCookie().join()).not.toContain('baton_session');
    const text = await answer.text();
    expect(text).toContain('Ask it@acme.example.');
    expect(text).toContain(`baton people grant ${(await personOf('eve')).id}`);
    expect(text).not.toContain('<b>');
    // A rule that cannot be computed gives nothing, and nothing is true but true.
    upstream.people.set('fay', { name: 'Fay' });
    upstream.subject = 'fay';
    expect(await seen(browser.open(await comeBack(browser)))).toContain('403 You may do nothing here yet');
    expect((await personOf('fay')).claimed).toEqual([]);
  });

  test('A log-in of a person who was removed gives no session', async () => {
    await logIn();
    const { id } = await personOf('ana');
    await app.ask(`DELETE /v1/people/${id}`);
    const browser = new TestBrowser(base);
    expect(await seen(browser.open(await comeBack(browser)))).toContain('403 You were removed');
    await app.ask(`POST /v1/people/${id}/restore`);
    await logIn();
  });

  test('A log-in makes a session of its own, and takes none over that the browser had', async () => {
    const browser = new TestBrowser(base);
    const planted = await browser.post('/v1/session', { key: await app.newKey(['admin']) });
    const before = planted.headers.getSetCookie().join();
    const after = (await browser.open(await comeBack(browser))).headers.getSetCookie().join();
    const tokenIn = (text: string): string => /baton_session=([^;]+)/.exec(text)?.[1] ?? '';
    expect(tokenIn(after)).not.toBe('');
    expect(tokenIn(after)).not.toBe(tokenIn(before));
    expect(await browser.json('/v1/session')).toMatchObject({ person: { name: 'Ana Lopez' } });
  });
});

describe('attacks', () => {
  test('An attacker cannot use the answer to a log-in twice, in another browser, or without its cookie', async () => {
    const browser = new TestBrowser(base);
    const back = await comeBack(browser);
    const victim = new TestBrowser(base);
    expect(await seen(victim.open(back))).toContain('400 This log-in has ended');
    await comeBack(victim);
    expect(await seen(victim.open(back))).toContain('400 This log-in has ended');
    const asked = upstream.tokenRequests;
    const both = await Promise.all([browser.open(back), browser.open(back)]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([303, 400]));
    expect(upstream.tokenRequests).toBe(asked + 1);
    expect(await seen(browser.open(back))).toContain('400 This log-in has ended');
  });

  test('An attacker cannot begin a log-in from a page of another site, nor have the browser sent elsewhere after it', async () => {
    const browser = new TestBrowser(base);
    for (const site of ['cross-site', 'same-site'])
      expect([
        site,
        (await browser.open('/oidc/login', { headers: { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate' } }))
          .status,
      ]).toEqual([site, 403]);
    for (const to of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '/@evil',
      'evil',
      '/a/../../evil',
      '/a?b',
      '/%2f/evil.example',
    ])
      expect([
        to,
        (await follow(new TestBrowser(base), `${base}/oidc/login?to=${encodeURIComponent(to)}`)).href,
      ]).toEqual([to, `${base}/`]);
  });

  test('A stranger fills no table with log-ins: beyond sixty of an address within a minute none begins, and other addresses log in', async () => {
    const { base: there } = await another();
    const begin = (address: string): Promise<Response> => new TestBrowser(there, address).open('/oidc/login');
    const rows = async (): Promise<unknown> =>
      (await store.pool.query(`select count(*)::int as n from oauth_record where kind = 'ProviderLogIn'`)).rows[0];
    const before = (await rows()) as { n: number };
    const statuses = (await Promise.all(Array.from({ length: 70 }, () => begin('198.51.100.7')))).map(
      ({ status }) => status,
    );
    expect([303, 429].map((one) => statuses.filter((status) => status === one).length)).toEqual([60, 10]);
    expect(await rows()).toEqual({ n: before.n + 60 });
    expect(await seen(begin('198.51.100.7'))).toMatch(/^429 Too many log-ins: .* Try again in (\d+ s|1 m)\.$/);
    expect((await begin('198.51.100.8')).status).toBe(303);
  });

  test('An attacker cannot mix up issuers: neither another one in the answer, nor a code or a nonce of another log-in', async () => {
    const browser = new TestBrowser(base);
    const issued = await comeBack(browser);
    issued.searchParams.set('iss', 'https://evil.example');
    expect(await seen(browser.open(issued))).toContain('is another one');
    const absent = await comeBack(browser);
    absent.searchParams.delete('iss');
    expect(await seen(browser.open(absent))).toContain('is another one');
    const other = await comeBack(new TestBrowser(base));
    const mixed = await comeBack(browser);
    mixed.searchParams.set('code', other.searchParams.get('code') ?? '');
    // The code was bound to the verifier of another log-in.
    expect(await seen(browser.open(mixed))).toContain('does not vouch for this log-in');
  });

  test.each([
    ['x'.repeat(256), 'names the person (sub) with 256 characters; expected at most 255'],
    ['ana\u001B[2J', 'other characters than visible ASCII'],
  ])('A provider that names a person by %j is told what is wrong, and no person is added', async (subject, why) => {
    upstream.people.set(subject, { name: 'Eve', groups: ['boss'] });
    upstream.subject = subject;
    const browser = new TestBrowser(base);
    expect(await seen(browser.open(await comeBack(browser)))).toMatch(/^400 You are not logged in: /);
    expect(await seen(browser.open(await comeBack(browser)))).toContain(why);
    expect(await personOf(subject)).toMatchObject({ id: '' });
  });

  test('The owner of the database cannot lengthen a voucher, nor give it to another person', async () => {
    upstream.people.set('gil', { name: 'Gil', groups: ['payments'] });
    const [ana, gil] = [await logIn(), await logIn('gil')];
    await store.pool.query(
      `update person set voucher = (select voucher from person where subject = 'ana') where subject = 'gil'`,
    );
    const { base: there } = await another();
    const statusAt = async (browser: TestBrowser): Promise<number> =>
      (await browser.open(`${there}/v1/runs`, { headers: { 'sec-fetch-site': 'same-origin' } })).status;
    expect([await statusAt(ana), await statusAt(gil)]).toEqual([200, 401]);
  });
});

describe('faults of a provider', () => {
  test('A provider that is down, does not know the secret, refuses, or has another clock is named to the person', async () => {
    const browser = new TestBrowser(base);
    const back = await comeBack(browser);
    upstream.isDown = true;
    expect(await seen(browser.open(back))).toContain('cannot be reached');
    const cold = await another();
    expect(await seen(new TestBrowser(cold.base).open('/oidc/login'))).toMatch(/^503 .*cannot be reached/);
    upstream.isDown = false;
    // What could not be read is read again.
    expect((await new TestBrowser(cold.base).open('/oidc/login')).status).toBe(303);

    upstream.people.set('ana', { name: 'Ana', nbf: Math.floor(Date.now() / 1_000) + 300 });
    expect(await seen(browser.open(await comeBack(browser)))).toContain('One of the two clocks is wrong');
    upstream.people.set('ana', { name: 'Ana', groups: ['payments'] });

    upstream.subject = '';
    const refused = new TestBrowser(base);
    expect(await seen(refused.open(await comeBack(refused)))).toContain('You were not let in');
    upstream.subject = 'ana';

    const wrong = await another(providerParts('another secret of the same form'));
    const stranger = new TestBrowser(wrong.base);
    const state = new URL((await stranger.open('/oidc/login')).headers.get('location') ?? '').searchParams.get('state');
    const code = (await comeBack(new TestBrowser(base))).searchParams.get('code');
    const answer = await seen(
      stranger.open(
        `/oidc/callback?${new URLSearchParams({ code: code ?? '', state: state ?? '', iss: upstream.issuer }).toString()}`,
      ),
    );
    expect(answer).toContain('BATON_OIDC_CLIENT_SECRET is wrong');
    expect(answer).not.toContain('another secret of the same form');
  });

  test('A provider that says it is another issuer is not asked', async () => {
    const mixed = await another(
      providerParts(upstreamClient.clientSecret, upstream.issuer.replace('127.0.0.1', 'localhost')),
    );
    expect(await seen(new TestBrowser(mixed.base).open('/oidc/login'))).toContain('its issuer');
  });
});

describe('what a provider says later', () => {
  const session = async (browser: TestBrowser, at: string) => {
    const answer = await browser.open(`${at}/v1/session`, { headers: { 'sec-fetch-site': 'same-origin' } });
    return { status: answer.status, text: await answer.text() };
  };

  test('A provider is asked again after an hour, by one of several processes, with the new token each time; claims are taken anew', async () => {
    const browser = await logIn();
    const { id } = await personOf('ana');
    for (const groups of [['boss'], ['payments']]) {
      upstream.people.set('ana', { name: 'Ana', groups });
      await age('ana', 3_700_000);
      const asked = upstream.tokenRequests;
      const [one, two] = [await another(), await another()];
      const answers = await Promise.all([one, two, one].map(({ base: at }) => session(browser, at)));
      expect(answers.map(({ status }) => status)).toContain(200);
      expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true);
      expect(upstream.tokenRequests).toBe(asked + 1);
      const { body } = await app.ask(`GET /v1/people/${id}`);
      expect(body['grants']).toMatchObject([{ role: groups[0] === 'boss' ? 'admin' : 'operator' }, { role: 'viewer' }]);
    }
    expect((await app.ask('POST /v1/audit/verify')).body).toMatchObject({ isIntact: true });
  });

  test('A provider ends the sessions and the keys of a person whom it does not know any more, and their claims', async () => {
    const browser = await logIn();
    const { id } = await personOf('ana');
    const key = await app.ask('POST /v1/keys', { json: { name: 'of ana', scopes: ['runs:read'], person: id } });
    const atServers = storedAuthorizations(store, vault, 'test');
    const login = loginOf(`${upstream.issuer}#ana`);
    expect(await atServers.isSuspended(login)).toBe(false);
    const ana = upstream.people.get('ana') ?? {};
    upstream.people.delete('ana');
    // Half an hour later its word still counts, and it is asked.
    await age('ana', 1_900_000);
    const soon = await another();
    expect((await session(browser, soon.base)).status).toBe(200);
    await expect.poll(async () => (await personOf('ana')).voucher).toBe(null);
    const later = await another();
    expect((await session(browser, later.base)).status).toBe(401);
    expect((await later.app.ask('GET /v1/runs', { key: String(key.body['key']) })).status).toBe(401);
    expect((await app.ask(`GET /v1/people/${id}`)).body['grants']).toEqual([]);
    const { rows } = await store.pool.query('select 1 from login_session where key_id = $1', [id]);
    expect(rows).toEqual([]);
    expect(await atServers.isSuspended(login)).toBe(true);
    expect((await app.ask('POST /v1/audit/verify')).body).toMatchObject({ isIntact: true });
    // Who comes back has their logins at servers as before.
    upstream.people.set('ana', ana);
    await logIn();
    expect(await atServers.isSuspended(login)).toBe(false);
    expect((await app.ask('POST /v1/audit/verify')).body).toMatchObject({ isIntact: true });
  });

  test('What a provider said counts for an hour while it is down, and then a request says that; nothing is lost when it is back', async () => {
    const browser = await logIn();
    upstream.isDown = true;
    await age('ana', 1_900_000);
    const soon = await another();
    expect((await session(browser, soon.base)).status).toBe(200);
    await age('ana', 2_000_000);
    const late = await another();
    expect(await session(browser, late.base)).toMatchObject({
      status: 503,
      text: expect.stringContaining('could not be asked') as string,
    });
    upstream.isDown = false;
    await store.pool.query('update person set asked_at = null');
    expect((await session(browser, (await another()).base)).status).toBe(200);
  });

  test('A provider that gives a token, and then does not say for whom, loses no person: its next token is used when it is back', async () => {
    const browser = await logIn();
    upstream.isSilent = true;
    onTestFinished(() => void (upstream.isSilent = false));
    await age('ana', 3_700_000);
    const before = (await personOf('ana')).voucher;
    expect((await session(browser, (await another()).base)).status).toBe(503);
    expect((await personOf('ana')).voucher).not.toBe(before);
    upstream.isSilent = false;
    await store.pool.query('update person set asked_at = null');
    expect((await session(browser, (await another()).base)).status).toBe(200);
  });

  test('What a provider said does not count without its settings, nor with those of another one', async () => {
    const browser = await logIn();
    const { provider: _none, ...without } = providerParts('');
    expect((await session(browser, (await another(without)).base)).status).toBe(401);
  });

  test('The voucher of a person is kept sealed: the refresh token is not in the database as it is', async () => {
    await logIn();
    const { voucher, id } = await personOf('ana');
    const token = new Vouchers(vault.keysFor('vouchers of identity providers')).open(id, voucher ?? '')?.refreshToken;
    expect(token).toMatch(/^.{20,}$/);
    const { rows } = await store.pool.query<{ text: string }>('select row_to_json(person)::text as text from person');
    expect(rows.some(({ text }) => text.includes(token ?? ''))).toBe(false);
  });
});
