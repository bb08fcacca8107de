import { type FreshStore, AuthorizedServer, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type TestApp, openTestApp } from '../../testing/testApp.ts';
import { callbackPath } from './serverLogin.ts';

let store: FreshStore;
let remote: AuthorizedServer;
let app: TestApp;
let address: string;

beforeAll(async () => {
  store = await freshStore();
  remote = await AuthorizedServer.start();
  const servers = { remote: { url: remote.url }, local: { command: 'true' } };
  app = await openTestApp(store, store.url, { servers });
  address = await app.listen();
});

afterAll(async () => {
  await app.close();
  await remote.close();
  await store.close();
});

const begin = async (): Promise<URL> => {
  const { status, body } = await app.ask('POST /v1/servers/remote/login');
  expect(status).toBe(200);
  return remote.agree(body['url'] as string);
};

/** As a browser that was sent there. */
const comeBack = async (search: string): Promise<{ status: number; type: string | null; text: string }> => {
  const answer = await fetch(`${address}${callbackPath}${search}`);
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
};

describe('logging in to a server', () => {
  test('an answer to no login, or an invented one, is turned away and shown as text', async () => {
    const back = await begin();
    for (const search of ['', '?code=x', '?state=<b>~x&code=x', '?state=remote~guessed&code=x']) {
      const { status, type, text } = await comeBack(search);
      expect([status, type]).toEqual([400, 'text/plain; charset=utf-8']);
      expect(text).toContain('baton servers login');
    }
    expect(remote.asked).toEqual([]);
    expect(back.pathname).toBe(callbackPath);
  });

  test('the browser comes back, and then the server tells its tools; the code counts once', async () => {
    expect((await app.ask('GET /v1/servers/remote/tools')).body).toMatchObject({
      type: 'urn:baton:problem:server-unauthorized',
      detail: expect.stringContaining('baton servers login remote') as string,
    });
    const { search } = await begin();
    expect((await fetch(`${address}${callbackPath}${search}`, { method: 'HEAD' })).status).not.toBe(200);
    expect(await comeBack(search)).toMatchObject({ status: 200, text: expect.stringContaining('"remote"') as string });
    expect((await app.ask('GET /v1/servers/remote/tools')).body['data']).toMatchObject([{ name: 'greet' }]);
    expect((await comeBack(search)).status).toBe(400);
  });

  test('what is kept of it is encrypted, and not listed as a secret', async () => {
    const { rows } = await store.pool.query<{ dump: string }>(
      `select string_agg(one::text, ' ') as dump from secret one`,
    );
    const dump = rows[0]?.dump ?? '';
    expect(dump).toContain('oauth:remote');
    const shown = await Promise.all(
      ['secrets', 'secrets/oauth:remote', 'servers', 'audit', 'audit/export'].map((path) => app.ask(`GET /v1/${path}`)),
    );
    expect(shown[0]?.body['data']).toEqual([]);
    expect(shown[1]?.status).toBe(404);
    for (const text of [dump, ...shown.map((one) => one.text)]) {
      expect(text).not.toMatch(/(token|refresh|code)-\d/);
    }
    expect(shown[3]?.body['data']).toContainEqual(
      expect.objectContaining({ action: 'server.login', target: 'remote' }),
    );
  });

  test('logging out has the tokens taken back, is noted, and then the server tells nothing', async () => {
    expect((await app.ask('POST /v1/servers/remote/logout')).body).toEqual({ status: 'logged-out' });
    expect(remote.revoked.map((form) => form['token_type_hint'])).toEqual(['refresh_token', 'access_token']);
    expect((await app.ask('GET /v1/servers/remote/tools')).body).toMatchObject({
      type: 'urn:baton:problem:server-unauthorized',
    });
    expect((await app.ask('POST /v1/servers/remote/logout')).body).toEqual({ status: 'not-logged-in' });
    const { body } = await app.ask('GET /v1/audit');
    const entries = (body['data'] as { action: string }[]).filter(({ action }) => action === 'server.logout');
    expect(entries).toMatchObject([{ target: 'remote' }]);
  });

  test('is begun by keys that may approve servers, and only where there is a server to log in to', async () => {
    const key = await app.newKey(['servers:read', 'workflows:write', 'runs:write']);
    expect((await app.ask('POST /v1/servers/remote/login', { key })).status).toBe(403);
    expect((await app.ask('POST /v1/servers/remote/logout', { key })).status).toBe(403);
    expect((await app.ask('POST /v1/servers/remot/login')).body['detail']).toContain('remote');
    for (const what of ['login', 'logout']) {
      const refused = await app.ask(`POST /v1/servers/local/${what}`);
      expect(refused).toMatchObject({ status: 409, body: { type: 'urn:baton:problem:conflict' } });
    }
  });
});
