import { createHash } from 'node:crypto';

import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { type TestAnswer, type TestApp, openTestApp } from '../../testing/testApp.ts';
import { openStream } from '../../testing/testStream.ts';

let store: FreshStore;
let app: TestApp;
let reader: string;
let listening: Promise<string>;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
  listening = app.listen();
  reader = await app.newKey(['runs:read'], { name: 'reader' });
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const logIn = (json: object, headers: Record<string, string> = {}) =>
  app.ask('POST /v1/session', { key: '', json, headers });

/** As a browser sends it back. */
const cookieOf = ({ headers }: TestAnswer): string => String(headers['set-cookie']).split(';')[0] ?? '';

/** Asks with a cookie and no key, as our page does. */
const askAs = (cookie: string, what: string, headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' }) =>
  app.ask(what, { key: '', headers: { cookie, ...headers } });

const newCode = async (key: string): Promise<string> =>
  String((await app.ask('POST /v1/session/codes', { key })).body['code']);

describe('a session', () => {
  test('is what a key logs in to: its scopes, by a cookie that no script reads and no other site sends', async () => {
    const begun = await logIn({ key: reader });
    expect(begun).toMatchObject({ status: 200, body: { key: { name: 'reader' }, scopes: ['runs:read'] } });
    expect(begun.headers['set-cookie']).toMatch(
      /^baton_session=[\w-]{12}\.[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const cookie = cookieOf(begun);
    expect(await askAs(cookie, 'GET /v1/session')).toMatchObject({ status: 200, body: begun.body });
    expect(await askAs(cookie, 'GET /v1/runs')).toMatchObject({ status: 200 });
    expect(await askAs(cookie, 'GET /v1/keys')).toMatchObject({ status: 403 });
    expect(await app.ask('GET /v1/session', { key: reader })).toMatchObject({ status: 404 });
    const { rows } = await store.pool.query('select digest from login_session');
    expect(JSON.stringify(rows)).not.toContain(cookie.slice(14));
  });

  test('begins only with a valid key or a valid code', async () => {
    const { id } = (await app.ask('POST /v1/keys', { json: { name: 'gone', scopes: ['runs:read'] } })).body;
    await app.ask(`DELETE /v1/keys/${String(id)}`);
    const almost = `${reader.slice(0, -1)}${reader.endsWith('x') ? 'y' : 'x'}`;
    for (const json of [{ key: 'nonsense' }, { key: almost }, { code: 'nonsense' }])
      expect(await logIn(json)).toMatchObject({ status: 401 });
    for (const json of [{}, { key: reader, code: 'x' }, { key: 7 }, { key: '' }])
      expect(await logIn(json)).toMatchObject({ status: 422 });
    expect(await askAs('baton_session=nonsense', 'GET /v1/runs')).toMatchObject({ status: 401 });
  });

  test('ends when its person logs out, and says so to the audit', async () => {
    const begun = await logIn({ key: reader });
    const cookie = cookieOf(begun);
    const ended = await askAs(cookie, 'DELETE /v1/session');
    expect(ended).toMatchObject({ status: 204 });
    expect(ended.headers['set-cookie']).toMatch(/^baton_session=; Max-Age=0; Path=\/;/);
    expect(await askAs(cookie, 'GET /v1/runs')).toMatchObject({ status: 401 });
    const { body } = await app.ask(`GET /v1/audit?target=${String(begun.body['id'])}`);
    expect(body['data']).toMatchObject([
      { action: 'session.ended', by: expect.stringContaining('reader (') },
      { action: 'session.begun', by: expect.stringContaining('reader ('), detail: { with: 'key' } },
    ]);
  });

  test('ends with its key', async () => {
    const made = await app.ask('POST /v1/keys', { json: { name: 'ends', scopes: ['runs:read', 'runs:write'] } });
    const cookie = cookieOf(await logIn({ key: String(made.body['key']) }));
    expect(await askAs(cookie, 'GET /v1/runs')).toMatchObject({ status: 200 });
    await app.ask(`DELETE /v1/keys/${String(made.body['id'])}`);
    expect(await askAs(cookie, 'GET /v1/runs')).toMatchObject({ status: 401 });
    const { rows } = await store.pool.query('select from login_session where key_id = $1', [made.body['id']]);
    expect(rows).toEqual([]);
  });

  test('ends twelve hours after it was last used', async () => {
    const begun = await logIn({ key: reader });
    const cookie = cookieOf(begun);
    const id = begun.body['id'];
    await store.pool.query(`update login_session set expires_at = now() + interval '11 hours' where id = $1`, [id]);
    const used = await askAs(cookie, 'GET /v1/session');
    expect(String(used.headers['set-cookie'])).toContain(`${cookie}; Max-Age=43200`);
    const elevenHours = Date.now() + 11.5 * 3_600_000;
    expect(Date.parse(String(used.body['expiresAt']))).toBeGreaterThan(elevenHours);
    expect((await askAs(cookie, 'GET /v1/session')).headers['set-cookie']).toBeUndefined();

    const other = await logIn({ key: reader });
    await store.pool.query('update login_session set expires_at = now() where id = $1', [other.body['id']]);
    expect(await askAs(cookieOf(other), 'GET /v1/session')).toMatchObject({ status: 401 });
  });

  test('is listed for admins, who end it', async () => {
    const begun = await logIn({ key: reader });
    const listed = await app.ask('GET /v1/sessions');
    expect(listed.body['data']).toContainEqual(
      expect.objectContaining({ id: begun.body['id'], key: begun.body['key'] }),
    );
    expect(await app.ask(`DELETE /v1/sessions/${String(begun.body['id'])}`)).toMatchObject({ status: 204 });
    expect(await askAs(cookieOf(begun), 'GET /v1/session')).toMatchObject({ status: 401 });
    expect(await app.ask('DELETE /v1/sessions/x')).toMatchObject({ status: 404 });
  });
});

describe('sessions that a session made', () => {
  interface Browser {
    readonly id: string;
    readonly cookie: string;
  }

  const browserOf = (begun: TestAnswer): Browser => ({ id: String(begun.body['id']), cookie: cookieOf(begun) });

  const codeOf = async ({ cookie }: Browser): Promise<string> =>
    String((await askAs(cookie, 'POST /v1/session/codes')).body['code']);

  const madeBy = async (browser: Browser): Promise<Browser> => browserOf(await logIn({ code: await codeOf(browser) }));

  const statuses = (browsers: readonly Browser[]): Promise<readonly number[]> =>
    Promise.all(browsers.map(async ({ cookie }) => (await askAs(cookie, 'GET /v1/runs')).status));

  test.each([
    ['logs out', ({ cookie }: Browser) => askAs(cookie, 'DELETE /v1/session')],
    ['is ended by an administrator', ({ id }: Browser) => app.ask(`DELETE /v1/sessions/${id}`)],
  ])('end with it at any depth where it %s, with its codes, and no other does', async (_, end) => {
    const first = browserOf(await logIn({ key: reader }));
    const made = await madeBy(first);
    const madeByMade = await madeBy(made);
    const others = [browserOf(await logIn({ key: reader })), browserOf(await logIn({ code: await newCode(reader) }))];
    const unused = await Promise.all([codeOf(first), codeOf(madeByMade)]);
    expect(await statuses([first, made, madeByMade, ...others])).toEqual([200, 200, 200, 200, 200]);

    expect(await end(first)).toMatchObject({ status: 204 });
    expect(await statuses([first, made, madeByMade, ...others])).toEqual([401, 401, 401, 200, 200]);
    for (const code of unused) expect(await logIn({ code })).toMatchObject({ status: 401 });
    const { body } = await app.ask(`GET /v1/audit?target=${madeByMade.id}`);
    expect(body['data']).toMatchObject([
      { action: 'session.ended', detail: { endedWith: first.id } },
      { action: 'session.begun', detail: { with: 'code', maker: made.id } },
    ]);
  });

  test('Sessions that a session made end with it where the session between them has expired, and leave the one before', async () => {
    const first = browserOf(await logIn({ key: reader }));
    const made = await madeBy(first);
    const madeByMade = await madeBy(made);
    const last = await madeBy(madeByMade);
    await store.pool.query('update login_session set expires_at = now() where id = $1', [made.id]);
    // A log-in removes what has expired.
    await logIn({ key: reader });
    expect(await app.ask(`DELETE /v1/sessions/${madeByMade.id}`)).toMatchObject({ status: 204 });
    expect(await statuses([first, madeByMade, last])).toEqual([200, 401, 401]);

    const second = await madeBy(first);
    const third = await madeBy(second);
    await store.pool.query('update login_session set expires_at = now() where id = $1', [second.id]);
    await logIn({ key: reader });
    await askAs(first.cookie, 'DELETE /v1/session');
    expect(await statuses([third])).toEqual([401]);
  });

  test('A session makes no other where another orchestrator has ended it a moment ago', async () => {
    const first = browserOf(await logIn({ key: reader }));
    expect(await statuses([first])).toEqual([200]);
    // As another orchestrator would: this one has read the session a moment ago.
    await store.pool.query('delete from login_session where id = $1', [first.id]);
    expect(await askAs(first.cookie, 'POST /v1/session/codes')).toMatchObject({ status: 401 });
  });

  test('Sessions that made one another are at most 32 in a line', async () => {
    const first = browserOf(await logIn({ key: reader }));
    await store.pool.query(
      `update login_session set makers = (select array_agg('s' || n) from generate_series(1, 30) n) where id = $1`,
      [first.id],
    );
    const last = await madeBy(first);
    expect(await askAs(last.cookie, 'POST /v1/session/codes')).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('last of 32') },
    });
  });
});

describe('a request with a cookie', () => {
  const start = (cookie: string, headers: Record<string, string>) =>
    app.ask('POST /v1/workflows/none/runs', { key: '', json: { inputs: {} }, headers: { cookie, ...headers } });

  test('changes something only where it comes from our own page', async () => {
    const cookie = cookieOf(await logIn({ key: await app.newKey(['runs:write']) }));
    const reached = { status: 404 };
    const refused = { status: 403, body: { type: 'urn:baton:problem:origin-refused' } };
    expect(await start(cookie, { 'sec-fetch-site': 'same-origin' })).toMatchObject(reached);
    expect(await start(cookie, { origin: 'http://127.0.0.1' })).toMatchObject(reached);
    expect(await start(cookie, {})).toMatchObject(refused);
    expect(await start(cookie, { 'sec-fetch-site': 'none' })).toMatchObject(refused);
    // Another port of this host is another origin, and the same site: the browser sends the cookie.
    expect(await start(cookie, { origin: 'http://127.0.0.1:9' })).toMatchObject(refused);
    expect(await start(cookie, { 'sec-fetch-site': 'same-site' })).toMatchObject(refused);
    expect(await start(cookie, { origin: 'https://127.0.0.1' })).toMatchObject(refused);
    expect(await askAs(cookie, 'GET /v1/runs', { 'sec-fetch-site': 'same-site' })).toMatchObject(refused);
    expect(await askAs(cookie, 'GET /v1/runs', {})).toMatchObject({ status: 200 });
    expect(await logIn({ key: reader }, { 'sec-fetch-site': 'same-site' })).toMatchObject(refused);
  });

  test('behind a proxy that is trusted goes by what it says, and the cookie is for TLS alone', async () => {
    const parts = { trustedProxies: ['10.0.0.1'], publicUrl: 'https://baton.example/deep/' };
    const proxied = await openTestApp(store, store.url, { parts });
    onTestFinished(() => proxied.close());
    const ask = (what: string, from: string, { json, headers }: { json?: object; headers?: object } = {}) =>
      proxied.ask(what, {
        key: '',
        remoteAddress: from,
        ...(json && { json }),
        headers: {
          host: 'inner.example',
          'x-forwarded-host': 'baton.example',
          'x-forwarded-proto': 'https',
          ...headers,
        },
      });
    expect(await ask('POST /v1/session', '10.0.0.1', { json: { key: reader } })).toMatchObject({ status: 403 });
    const host = { host: 'baton.example' };
    const begun = await ask('POST /v1/session', '10.0.0.1', { json: { key: reader }, headers: host });
    expect(begun.headers['set-cookie']).toMatch(/; Path=\/deep; HttpOnly; Secure; SameSite=Strict$/);
    const own = { ...host, cookie: cookieOf(begun), origin: 'https://baton.example' };
    expect(await ask('POST /v1/session/codes', '10.0.0.1', { headers: own })).toMatchObject({ status: 201 });
    const plain = { ...own, origin: 'http://baton.example' };
    expect(await ask('POST /v1/session/codes', '10.0.0.1', { headers: plain })).toMatchObject({ status: 403 });
  });

  test('follows a run as one with a key does', async () => {
    await app.deploy('workflow: asks\nsteps:\n  - id: q\n    ask: Well?\n');
    const url = await listening;
    const key = await app.newKey(['runs:read', 'runs:write']);
    const cookie = cookieOf(await logIn({ key }));
    const { body } = await app.ask('POST /v1/workflows/asks/runs', { json: { inputs: {} } });
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    const stream = await openStream(`${url}/v1/runs/${String(body['id'])}/events`, { headers });
    expect(stream.status).toBe(200);
    expect(await stream.next()).toMatchObject({ id: 1, data: { type: 'run.requested' } });
    stream.leave();
  });

  test('follows a run no longer than its session', async () => {
    await app.deploy('workflow: followed\nsteps:\n  - id: q\n    ask: Well?\n');
    const url = await listening;
    const cookie = cookieOf(await logIn({ key: await app.newKey(['runs:read']) }));
    const { body } = await app.ask('POST /v1/workflows/followed/runs', { json: { inputs: {} } });
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    const stream = await openStream(`${url}/v1/runs/${String(body['id'])}/events`, { headers });
    expect(await stream.next()).toMatchObject({ data: { type: 'run.requested' } });
    expect(await askAs(cookie, 'DELETE /v1/session')).toMatchObject({ status: 204 });
    await app.ask(`POST /v1/runs/${String(body['id'])}/cancel`, { json: {} });
    expect(await stream.next()).toBeUndefined();
  });
});

describe('a person with the database and without the key', () => {
  test('invents no session and no code, and gives none to another key', async () => {
    const admin = String((await app.ask('POST /v1/keys', { json: { name: 'victim', scopes: ['admin'] } })).body['id']);
    const token = `${admin}.${'x'.repeat(43)}`;
    const digest = createHash('sha256').update(token).digest();
    await store.pool.query(
      `insert into login_session (id, digest, key_id, expires_at) values ('invented', $1, $2, now() + interval '1 h')`,
      [digest, admin],
    );
    await store.pool.query(
      `insert into login_code (digest, key_id, expires_at) values ($1, $2, now() + interval '1 h')`,
      [digest, admin],
    );
    expect(await askAs(`baton_session=${token}`, 'GET /v1/keys')).toMatchObject({ status: 401 });
    expect(await logIn({ code: token })).toMatchObject({ status: 401 });

    const own = cookieOf(await logIn({ key: reader }));
    const code = await newCode(reader);
    await store.pool.query('update login_session set key_id = $1', [admin]);
    await store.pool.query('update login_code set key_id = $1', [admin]);
    for (const cookie of [own, own.replace(/=[^.]+/, `=${admin}`)])
      expect(await askAs(cookie, 'GET /v1/keys')).toMatchObject({ status: 401 });
    for (const given of [code, code.replace(/^[^.]+/, admin)])
      expect(await logIn({ code: given })).toMatchObject({ status: 401 });
    await store.pool.query('delete from login_session; delete from login_code');
  });
});

describe('a code', () => {
  test('logs in once, as the key that made it', async () => {
    const code = await newCode(reader);
    const both = await Promise.all([logIn({ code }), logIn({ code })]);
    expect(both.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 401]));
    const begun = both.find(({ status }) => status === 200);
    expect(begun?.body).toMatchObject({ key: { name: 'reader' }, scopes: ['runs:read'] });
    expect(await logIn({ code })).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining('`baton open`') },
    });
    const { body } = await app.ask('GET /v1/audit?action=session.code-created');
    expect(body['data']).toContainEqual(expect.objectContaining({ by: expect.stringContaining('reader (') }));
    expect(JSON.stringify(body)).not.toContain(code);
  });

  test('is good for ten minutes, and no longer than its key', async () => {
    const { body } = await app.ask('POST /v1/session/codes', { key: reader });
    const leftMs = Date.parse(String(body['expiresAt'])) - Date.now();
    expect(leftMs).toBeLessThanOrEqual(600_000);
    expect(leftMs).toBeGreaterThan(540_000);
    await store.pool.query('update login_code set expires_at = now()');
    expect(await logIn({ code: body['code'] })).toMatchObject({ status: 401 });

    const made = await app.ask('POST /v1/keys', { json: { name: 'short', scopes: ['runs:read'] } });
    const code = await newCode(String(made.body['key']));
    await app.ask(`DELETE /v1/keys/${String(made.body['id'])}`);
    expect(await logIn({ code })).toMatchObject({ status: 401 });
  });
});
