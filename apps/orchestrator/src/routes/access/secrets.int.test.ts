import { storedSecrets } from '@baton/store';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type TestApp, openTestApp } from '../../testing/testApp.ts';

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

const canary = 'canary-"5f/8+ü"-value';

describe('/v1/secrets', () => {
  test('takes a value, and never gives it back', async () => {
    const made = await app.ask('PUT /v1/secrets/TOKEN', { json: { value: canary } });
    expect(made).toMatchObject({ status: 201, body: { name: 'TOKEN', version: 1 } });
    const again = await app.ask('PUT /v1/secrets/TOKEN', { json: { value: canary } });
    expect(again).toMatchObject({ status: 200, body: { version: 2 } });
    const shown = await app.ask('GET /v1/secrets/TOKEN');
    expect(Object.keys(shown.body)).toEqual(['name', 'version', 'setBy', 'setAt']);
    const listed = await app.ask('GET /v1/secrets');
    expect(listed.body['data']).toEqual([shown.body]);
    expect((await storedSecrets(store, app.vault).reveal(['TOKEN'])).get('TOKEN')?.value).toBe(canary);
  });

  test('says which workflows and servers it is for, and keeps its value where that alone is set', async () => {
    const put = (json: object) => app.ask('PUT /v1/secrets/BOUND', { json });
    expect((await put({ workflows: ['report'] })).status).toBe(404);
    const made = await put({ value: canary, workflows: ['report'], servers: ['github'] });
    expect(made).toMatchObject({ status: 201, body: { workflows: ['report'], servers: ['github'] } });
    expect((await put({ workflows: null })).body).not.toHaveProperty('workflows');
    expect((await app.ask('GET /v1/secrets/BOUND')).body).toMatchObject({ version: 2, servers: ['github'] });
    expect((await storedSecrets(store, app.vault).reveal(['BOUND'])).get('BOUND')?.value).toBe(canary);
    expect((await put({ servers: ['no server'] })).status).toBe(422);
    await app.ask('DELETE /v1/secrets/BOUND');
  });

  test('says who set it in the audit, and not to what', async () => {
    await app.ask('PUT /v1/secrets/NOTED', { json: { value: canary } });
    const { rows } = await store.pool.query(
      `select action, target, detail::text from audit_entry where target = 'NOTED'`,
    );
    expect(rows).toEqual([{ action: 'secret.set', target: 'NOTED', detail: '{"version":1}' }]);
  });

  test('is replaced, or deleted, where it is what one has seen', async () => {
    const put = (headers: Record<string, string>) =>
      app.ask('PUT /v1/secrets/SEEN', { json: { value: 'of-no-interest' }, headers });
    expect((await put({ 'if-match': '*' })).status).toBe(412);
    expect(await put({ 'if-none-match': '*' })).toMatchObject({ status: 201, headers: { etag: '"1"' } });
    const both = await Promise.all([put({ 'if-match': '"1"' }), put({ 'if-match': '"1"' })]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412]);
    expect((await app.ask('GET /v1/secrets/SEEN')).headers['etag']).toBe('"2"');
    const remove = (etag: string) => app.ask('DELETE /v1/secrets/SEEN', { headers: { 'if-match': etag } });
    expect(await remove('"1"')).toMatchObject({ status: 412, headers: { etag: '"2"' } });
    expect((await remove('"2"')).status).toBe(204);
  });

  test('is gone once it is deleted', async () => {
    await app.ask('PUT /v1/secrets/GONE', { json: { value: 'of-no-interest' } });
    expect((await app.ask('DELETE /v1/secrets/GONE')).status).toBe(204);
    expect((await app.ask('DELETE /v1/secrets/GONE')).status).toBe(404);
    expect((await app.ask('GET /v1/secrets/GONE')).status).toBe(404);
  });

  test.each([
    ['PUT /v1/secrets/1st', { value: 'of-no-interest' }, 422],
    ['PUT /v1/secrets/a%00', { value: 'of-no-interest' }, 422],
    ['PUT /v1/secrets/A', {}, 422],
    ['PUT /v1/secrets/A', { value: 7 }, 422],
    ['PUT /v1/secrets/A', { value: '' }, 422],
    ['PUT /v1/secrets/A', { value: '12345' }, 422],
    ['PUT /v1/secrets/A', { value: ' 12345\n' }, 422],
    ['PUT /v1/secrets/A', { value: 'of-no-interest', more: 1 }, 422],
    ['GET /v1/secrets/%00', undefined, 404],
    ['POST /v1/secrets/A', { value: 'of-no-interest' }, 405],
  ])('%s %j: %i', async (what, json, status) => {
    expect((await app.ask(what, { json })).status).toBe(status);
  });

  test.each([
    { value: 'pin42' },
    { value: 48_151_623 },
    { value: canary.repeat(4_000) },
    { value: [canary] },
    { value: canary, servers: [canary] },
    canary,
  ])('a body that does not fit is refused without a word of it', async (json) => {
    const { status, body } = await app.ask('PUT /v1/secrets/REFUSED', { json });
    expect(status).toBe(422);
    expect(JSON.stringify(body)).not.toMatch(/pin42|48151623|canary/);
  });

  test('a log-in that does not fit is refused without a word of it', async () => {
    const { status, body } = await app.ask('POST /v1/session', { json: { key: 48_151_623 } });
    expect(status).toBe(422);
    expect(JSON.stringify(body)).not.toContain('48151623');
  });

  test('a page goes on where its cursor says, and nowhere with one that was cut off', async () => {
    for (const name of ['PAGE_1', 'PAGE_2'])
      await app.ask(`PUT /v1/secrets/${name}`, { json: { value: 'of-no-interest' } });
    const cursor = String((await app.ask('GET /v1/secrets?limit=1')).body['nextCursor']);
    expect((await app.ask(`GET /v1/secrets?cursor=${cursor}`)).status).toBe(200);
    for (let end = cursor.length - 1; end > 0; end -= 1)
      expect((await app.ask(`GET /v1/secrets?cursor=${cursor.slice(0, end)}`)).status).toBe(400);
  });

  test('is for keys with the scope', async () => {
    const key = await app.newKey(['runs:write', 'runs:read']);
    expect((await app.ask('PUT /v1/secrets/A', { key, json: { value: 'of-no-interest' } })).status).toBe(403);
    expect((await app.ask('GET /v1/secrets', { key })).status).toBe(403);
    const right = await app.newKey(['secrets:write']);
    expect((await app.ask('GET /v1/secrets', { key: right })).status).toBe(200);
  });
});
