/** A run goes on with a large value that Postgres cannot store yet, on a worker whose cache other runs fill. */
import { type RunDrivers, BlobCache, requested, RunDrivers as Drivers } from '@baton/runner';
import { cachedPlans, definitionOf, deployWorkflow, getRun } from '@baton/store';
import { type FreshStore, freshStore, testPorts, textResult } from '@baton/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

let store: FreshStore;
let blocker: Client;

beforeAll(async () => {
  store = await freshStore();
  blocker = new Client(store.url);
  await blocker.connect();
});

afterAll(async () => {
  await blocker.end();
  await store.close();
});

const definition = definitionOf(
  `workflow: logs
steps:
  - { id: x, tool: s/large }
  - { id: y, tool: s/large }
  - { id: use, tool: s/last, with: { n: "\${{ size(steps.x.text) + size(steps.y.text) }}" } }
outputs: { n: "\${{ size(steps.x.text) }}" }
`,
  'yaml',
  { 's/large': { effect: 'read', from: 'server' }, 's/last': { effect: 'read', from: 'server' } },
);

function drivers(): RunDrivers {
  // One value fits.
  const cache = new BlobCache(300_000);
  return new Drivers(
    testPorts({
      journal: store.journal,
      blobs: store.blobs,
      plans: cachedPlans(store),
      cache,
      calls: {
        callTool: async ({ tool, arguments: given }, { attemptKey }) => {
          if (tool === 'last') {
            await blocker.query('commit');
            return { result: textResult(given) };
          }
          if (attemptKey.includes('/x#')) await blocker.query('begin; lock table blob in share row exclusive mode');
          return { result: textResult(attemptKey.repeat(4_000)) };
        },
      },
    }),
  );
}

test('A run uses a large value whose append waits in Postgres, and that has left the cache', async () => {
  await deployWorkflow(store, { workflow: 'logs', definition, findings: [], by: 'key' });
  const order = { workflow: 'logs', version: 1, definition: definition.digest, inputs: {}, by: 'key' } as const;
  const { runId } = await store.request(requested({ ...order, trigger: { kind: 'api' } }, Date.now()));
  expect(await drivers().drive(runId)).toBe('finished');
  const n = `${runId}/x#1`.length * 4_000 + 2;
  expect(await getRun(store, runId)).toMatchObject({ status: 'succeeded', outputs: { json: { n } } });
});
