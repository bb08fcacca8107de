import type { FreshStore } from '@baton/testing';
import { freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { TestAnswer, TestApp } from '../testing/testApp.ts';
import { openTestApp } from '../testing/testApp.ts';
import { startTestWorker } from '../testing/testWorker.ts';

const most = 5;

let store: FreshStore;
let app: TestApp;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url, { parts: { queuedMost: most } });
  await app.deploy('workflow: hello\nsteps:\n  - set: { a: 1 }\n');
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const start = (key: string): Promise<TestAnswer> =>
  app.ask('POST /v1/workflows/hello/runs', { json: {}, headers: { 'idempotency-key': key } });

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
  await worker.stop();
  expect(last.status).toBe(202);
});
