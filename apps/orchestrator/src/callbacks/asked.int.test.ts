import { randomBytes } from 'node:crypto';

import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type TestApp, openTestApp } from '../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const ask = (callback: object) =>
  app.ask('POST /v1/runs', { json: { workflow: 'workflow: w\nsteps: [{ wait: 1h }]\n', callback } });

describe('a run that asks for a callback', () => {
  test('is on record with it', async () => {
    const { status, body } = await ask({ url: 'https://a.example/told', secret: 'CALLBACK' });
    expect(status).toBe(202);
    const { rows } = await store.pool.query('select url, secret, status from callback where run_id = $1', [body['id']]);
    expect(rows).toEqual([{ url: 'https://a.example/told', secret: 'CALLBACK', status: 'pending' }]);
  });

  test.each([
    { url: 'http://169.254.169.254/latest', secret: 'A' },
    { url: 'http://[::1]:6379/', secret: 'A' },
    { url: 'http://2130706433/', secret: 'A' },
    { url: 'http://localhost.:8080/', secret: 'A' },
    { url: 'http://[::ffff:10.0.0.1]/', secret: 'A' },
    { url: 'file:///etc/passwd', secret: 'A' },
    { url: 'https://user:pw@a.example/', secret: 'A' },
    { url: 'nowhere', secret: 'A' },
    { url: 'https://a.example/' },
    { url: 'https://a.example/', secret: 'not a name' },
  ])('is not taken with %j', async (callback) => {
    expect((await ask(callback)).status).toBe(422);
  });

  test('is signed with no secret that is bound to others, and with none of a webhook', async () => {
    const set = (name: string, json: object) => app.ask(`PUT /v1/secrets/${name}`, { json });
    const why = async (secret: string, path = 'runs', workflow?: string): Promise<unknown> => {
      const callback = { url: 'https://a.example:8443/told', secret };
      const json = {
        callback,
        ...(path === 'runs' ? { workflow: workflow ?? 'workflow: w\nsteps: [{ wait: 1h }]\n' } : {}),
      };
      const { status, body } = await app.ask(`POST /v1/${path}`, { json });
      return [status, body['detail']];
    };
    const value = `whsec_${randomBytes(24).toString('base64')}`;
    await set('ELSEWHERE', { value, servers: ['tools', 'callbacks/b.example'] });
    await set('HERE', { value, servers: ['callbacks/a.example'], workflows: ['mine'] });
    await set('HOOKED', { value });
    await app.deploy('workflow: mine\nsteps: [{ wait: 1h }]\n');
    await app.deploy('workflow: other\non: [{ webhook: ci, secret: HOOKED }]\nsteps: [{ wait: 1h }]\n');
    expect(await why('ELSEWHERE')).toEqual([422, expect.stringContaining('and not to "callbacks/a.example"')]);
    const named = 'workflow: mine\nsteps: [{ wait: 1h }]\n';
    expect(await why('HERE', 'runs', named)).toEqual([422, expect.stringContaining('this workflow is not deployed')]);
    // As one that is not stored, which may still be set before the run ends.
    expect(await why('HERE', 'workflows/other/runs')).toEqual(await why('NONE', 'workflows/other/runs'));
    expect(await why('HOOKED')).toEqual([422, expect.stringContaining('must not sign a callback')]);
    expect(await why('HERE', 'workflows/mine/runs')).toEqual([202, undefined]);
  });

  test('is signed for a key without `secrets:use` only where the secret is bound to its receiver', async () => {
    const key = await app.newKey(['runs:write']);
    await app.ask('PUT /v1/secrets/RECEIVED', {
      json: { value: 'a-secret-of-enough-bytes', servers: ['callbacks/a.example'] },
    });
    const asked = async (secret: string, by?: string): Promise<number> => {
      const json = {
        workflow: 'workflow: w\nsteps: [{ wait: 1h }]\n',
        callback: { url: 'https://a.example/', secret },
      };
      return (await app.ask('POST /v1/runs', { json, ...(by !== undefined && { key: by }) })).status;
    };
    expect(await asked('FREE', key)).toBe(403);
    expect(await asked('RECEIVED', key)).toBe(202);
    expect(await asked('FREE')).toBe(202);
  });

  test('goes into the networks that the operator allows, and into no other', async () => {
    const inside = await openTestApp(store, store.url, { parts: { callbackNetworks: ['10.1.0.0/16', 'fd00::/8'] } });
    const askFor = async (url: string): Promise<number> => {
      const json = { workflow: 'workflow: w\nsteps: [{ wait: 1h }]\n', callback: { url, secret: 'A' } };
      return (await inside.ask('POST /v1/runs', { json })).status;
    };
    for (const url of ['http://10.1.2.3/', 'http://[fd00::1]:8080/', 'https://a.example/'])
      expect(await askFor(url)).toBe(202);
    for (const url of ['http://10.2.0.1/', 'http://127.0.0.1/', 'http://169.254.169.254/'])
      expect(await askFor(url)).toBe(422);
    await inside.close();
  });
});
