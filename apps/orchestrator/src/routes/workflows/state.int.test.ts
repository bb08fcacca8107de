import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type TestAnswer, type TestApp, openTestApp } from '../../testing/testApp.ts';

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

let count = 0;

/** Deploys a workflow in a project; resolves to its name as paths have it. */
async function deployed(state: string, name = `team/w-${(count += 1)}`): Promise<string> {
  const { status, text } = await app.deploy(`workflow: ${name}\nstate: ${state}\nsteps: [{ set: { a: 1 } }]\n`);
  expect([status, text]).toEqual([201, text]);
  return encodeURIComponent(name);
}

const set = (workflow: string, key: string, value: unknown, headers = {}): Promise<TestAnswer> =>
  app.ask(`PUT /v1/workflows/${workflow}/state/${key}`, { json: { value }, headers });

const valuesOf = async (workflow: string): Promise<Record<string, unknown>[]> =>
  (await app.ask(`GET /v1/workflows/${workflow}/state`)).body['values'] as Record<string, unknown>[];

const counter = '{ count: { type: integer, default: 3 }, last: { type: string } }';

test('What a workflow remembers is shown with its types: the defaults first, then what was set, and who set it.', async () => {
  const workflow = await deployed(counter);
  expect(await valuesOf(workflow)).toEqual([
    { key: 'count', value: 3, revision: 0, type: { type: 'integer', default: 3 }, fits: true },
    { key: 'last', value: null, revision: 0, type: { type: 'string' }, fits: true },
  ]);
  const answer = await set(workflow, 'last', 'x');
  expect(answer).toMatchObject({ status: 200, body: { key: 'last', value: 'x', revision: 1 } });
  expect(answer.headers['etag']).toBe('"1"');
  expect((await valuesOf(workflow))[1]).toMatchObject({ value: 'x', written: { at: expect.any(String) as string } });
});

test('A value that does not fit the declared type, and a key that is not declared, are refused with the reason.', async () => {
  const workflow = await deployed(counter);
  expect(await set(workflow, 'count', 'many')).toMatchObject({
    status: 422,
    body: {
      detail: expect.stringContaining('does not fit the type') as string,
      errors: [{ pointer: '/value', code: 'wrong-value' }],
    },
  });
  expect(await app.ask(`PUT /v1/workflows/${workflow}/state/count`, { json: {} })).toMatchObject({ status: 422 });
  expect(await set(workflow, 'cuont', 4)).toMatchObject({
    status: 404,
    body: { detail: expect.stringContaining('did you mean "count"?') as string },
  });
  expect(await set(workflow, 'last', 'x'.repeat(65_536))).toMatchObject({ status: 422 });
  expect(await valuesOf(workflow)).toMatchObject([{ revision: 0 }, { revision: 0 }]);
});

test('With a precondition, a value replaces only the one that its sender has seen, also of twelve who send at once.', async () => {
  const workflow = await deployed(counter);
  const first = await Promise.all(
    Array.from({ length: 12 }, (_, n) => set(workflow, 'count', n, { 'if-none-match': '*' })),
  );
  expect(first.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200,
    ...Array.from({ length: 11 }, () => 412),
  ]);
  expect(await set(workflow, 'count', 50, { 'if-match': '"2"' })).toMatchObject({ status: 412 });
  expect(await set(workflow, 'count', 51, { 'if-match': '"1"' })).toMatchObject({ status: 200, body: { revision: 2 } });
});

test('A hundred old values are kept, listed page by page, and each change is in the audit without its value.', async () => {
  const workflow = await deployed(counter);
  for (let n = 1; n <= 103; n += 1) await set(workflow, 'count', n);
  const writes: unknown[] = [];
  let cursor = '';
  for (;;) {
    const { body } = await app.ask(`GET /v1/workflows/${workflow}/state/count?limit=60${cursor}`);
    writes.push(...(body['data'] as { value: unknown }[]).map(({ value }) => value));
    if (body['nextCursor'] === undefined) break;
    cursor = `&cursor=${body['nextCursor'] as string}`;
  }
  expect(writes).toEqual(Array.from({ length: 101 }, (_, n) => 103 - n));
  const { body } = await app.ask(`GET /v1/audit?action=state.set&target=${workflow}&limit=1`);
  expect(body['data']).toMatchObject([{ detail: { keys: ['count'] } }]);
  expect(JSON.stringify(body)).not.toContain('103');
  expect((await app.ask('POST /v1/audit/verify', { json: {} })).body).toMatchObject({ isIntact: true });
});

test('A person who does not see values of runs sees which values there are, who wrote them and when, and no value.', async () => {
  const workflow = await deployed(counter);
  await set(workflow, 'last', 'confidential');
  const grants = [{ role: 'viewer', on: ['team/*'] }];
  const { body } = await app.ask('POST /v1/people', { json: { name: 'eve', grants } });
  const { body: link } = await app.ask(`POST /v1/people/${String(body['id'])}/links`);
  const session = await app.ask('POST /v1/session', { key: '', json: { code: link['code'] } });
  const cookie = String(session.headers['set-cookie']).split(';')[0] ?? '';
  const asEve = (what: string) => app.ask(what, { key: '', headers: { cookie, 'sec-fetch-site': 'same-origin' } });
  for (const path of ['', '/last']) {
    const { status, text } = await asEve(`GET /v1/workflows/${workflow}/state${path}`);
    expect(status).toBe(200);
    expect(text).toContain('"revision":1');
    expect(text).not.toContain('confidential');
  }
});

test('A version whose type does not take what is stored is deployed with a warning that says what is there, and what to do.', async () => {
  const workflow = await deployed(counter);
  await set(workflow, 'count', 7);
  const name = decodeURIComponent(workflow);
  const text = `workflow: ${name}\nstate: { count: { type: string, default: "" } }\nsteps: [{ set: { a: 1 } }]\n`;
  const { status, body } = await app.deploy(text);
  expect([status, body['findings']]).toMatchObject([
    201,
    [{ code: 'stored-state-unfit', severity: 'warning', found: 'a number', path: '/state/count' }],
  ]);
  expect(JSON.stringify(body['findings'])).toContain('baton state set');
  expect(await valuesOf(workflow)).toMatchObject([{ key: 'count', fits: false }]);
  expect(await set(workflow, 'count', 'seven')).toMatchObject({ status: 200, body: { fits: true, revision: 2 } });
});

test('State outlives its workflow: when it is deployed again it reads what it left, also keys that it no longer declares.', async () => {
  const workflow = await deployed(counter);
  await set(workflow, 'count', 9);
  expect((await app.ask(`DELETE /v1/workflows/${workflow}`)).status).toBe(204);
  expect(await set(workflow, 'count', 10)).toMatchObject({ status: 404 });
  await deployed('{ other: { type: string, default: "" } }', decodeURIComponent(workflow));
  expect(await valuesOf(workflow)).toMatchObject([
    { key: 'other', value: '', revision: 0 },
    { key: 'count', value: 9, revision: 1, fits: true },
  ]);
});
