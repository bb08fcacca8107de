import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { advance } from '@baton/runner';
import { type FreshStore, freshStore, toolsServer } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type TestApp, openTestApp } from '../../testing/testApp.ts';

let folder: string;
let store: FreshStore;
let app: TestApp;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-many-runs-'));
  store = await freshStore();
  app = await openTestApp(store, store.url, { servers: { tools: toolsServer(join(folder, 'ledger')) } });
});

afterAll(async () => {
  await app.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function failAtWrite(): Promise<void> {
  const { body } = await app.ask('POST /v1/workflows/pays/runs', { json: {} });
  const failure = { code: 'tool-failed', message: 'no', step: 'pay' };
  const call = {
    verb: 'tool',
    server: 'tools',
    tool: 'echo',
    effect: 'write',
    arguments: { json: { message: 'hi' } },
  } as const;
  await advance(store.journal, String(body['id']), ({ at }) => {
    const step = { at, path: 'pay', verb: 'tool', attempt: 1 } as const;
    return [
      { type: 'run.claimed', at, worker: 'w', claim: 1 },
      { ...step, type: 'step.started', call },
      { ...step, type: 'step.failed', failure },
      { type: 'run.finished', at, status: 'failed', failure },
    ];
  });
}

test('a retry of many runs needs their number, and counts the writes of all of them, as its preview does', async () => {
  const text = 'workflow: pays\nsteps:\n  - { id: pay, tool: tools/echo, effect: write, with: { message: hi } }\n';
  expect((await app.deploy(text)).status).toBe(201);
  for (let run = 0; run < 6; run += 1) await failAtWrite();
  const filter = { workflow: 'pays' };
  const preview = await app.ask('POST /v1/runs/retry', { json: { filter, preview: true } });
  expect(preview.body).toMatchObject({ count: 6, writes: 6 });
  const unconfirmed = await Promise.all(
    [{ expect: 5 }, {}].map((more) => app.ask('POST /v1/runs/retry', { json: { filter, ...more } })),
  );
  expect(unconfirmed.map(({ status }) => status)).toEqual([409, 422]);
  const retried = await app.ask('POST /v1/runs/retry', { json: { filter, expect: 6 } });
  expect(retried.body).toMatchObject({ count: 6, done: 6, writes: 6, refused: [] });
});
