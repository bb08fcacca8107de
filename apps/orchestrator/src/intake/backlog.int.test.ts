import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type TestAnswer, type TestApp, openTestApp } from '../testing/testApp.ts';
import { startTestWorker } from '../testing/testWorker.ts';

const most = 5;

let store: FreshStore;
let app: TestApp;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url, { parts: { queuedMax: most } });
  await app.deploy('workflow: hello\nsteps:\n  - set: { a: 1 }\n');
  await app.deploy('workflow: many\nsteps:\n  - { forEach: "${{ range(8) }}", as: n, steps: [{ workflow: hello }] }\n');
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const start = (key: string, workflow = 'hello'): Promise<TestAnswer> =>
  app.ask(`POST /v1/workflows/${workflow}/runs`, { json: {}, headers: { 'idempotency-key': key } });

test('where too many runs wait, more are turned away for a while, and those taken in before are known', async () => {
  const taken: TestAnswer[] = [];
  let last = await start('run-0');
  while (last.status === 202) {
    taken.push(last);
    expect(taken.length).toBeLessThanOrEqual(most);
    last = await start(`run-${taken.length}`);
  }
  expect(last).toMatchObject({
    status: 503,
    headers: { 'retry-after': '2' },
    body: { type: 'urn:baton:problem:overloaded' },
  });
  const again = await start('run-0');
  expect([again.status, again.body['id']]).toEqual([202, taken[0]?.body['id']]);
  const worker = await startTestWorker(store.url, {});
  // The same request, until it is served.
  while (last.status === 503) last = await start('later');
  expect(last.status).toBe(202);
  // A run that has begun goes on: its child runs are more than may wait.
  let many = await start('many', 'many');
  while (many.status === 503) many = await start('many', 'many');
  const id = String(many.body['id']);
  await expect.poll(async () => (await app.ask(`GET /v1/runs/${id}`)).body['status']).toBe('succeeded');
  await worker.stop();
});
