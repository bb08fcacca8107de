/** A rerun starts a run: what limits starts limits it, too. */
import type { RunEvent } from '@baton/engine';
import { defined } from '@baton/primitives';
import { advance } from '@baton/runner';
import { type FreshStore, freshStore, requestedEvent } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type TestAnswer, type TestApp, openTestApp } from '../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url, { parts: { queuedMax: 5 } });
  await app.deploy('workflow: hello\nsteps:\n  - set: { a: 1 }\n');
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const start = (key?: string): Promise<TestAnswer> =>
  app.ask('POST /v1/workflows/hello/runs', { ...defined({ key }), json: {} });

const again = (runId: string, key?: string): Promise<TestAnswer> =>
  app.ask(`POST /v1/runs/${runId}/rerun`, { ...defined({ key }), json: {} });

/** What a worker would append, and nothing else: no worker runs here. */
async function end(runId: string, before: readonly RunEvent[] = []): Promise<string> {
  await advance(store.journal, runId, ({ at }) => [
    { type: 'run.claimed', at, worker: 'w-1', claim: 1 },
    ...before,
    { type: 'run.finished', at, status: 'succeeded' },
  ]);
  return runId;
}

test('a session cannot be run again', async () => {
  const { runId } = await store.request({ event: requestedEvent({ trigger: { kind: 'session' } }) });
  await end(runId, [{ type: 'session.closed', at: 0, by: 'agent' }]);
  expect(await again(runId)).toMatchObject({
    status: 409,
    body: { type: 'urn:baton:problem:conflict', detail: expect.stringMatching(/^A session cannot be run again/) },
  });
});

test('a key that has its number of unfinished runs starts none again', async () => {
  const key = await app.newKey(['runs:write'], { limits: { runs: 1 } });
  const over = await end(String((await start(key)).body['id']));
  // The runs of a key are counted once in a second.
  await expect.poll(async () => (await start(key)).status).toBe(202);
  expect(await again(over, key)).toMatchObject({ status: 429, body: { type: 'urn:baton:problem:quota-exceeded' } });
});

test('where too many runs wait for a worker, none is started again', async () => {
  const over = await end(String((await start()).body['id']));
  // A run that was taken in during a count may count twice until the next one.
  const refused = { status: 503, body: { type: 'urn:baton:problem:overloaded' } };
  await expect.poll(() => again(over)).toMatchObject(refused);
});
