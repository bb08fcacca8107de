import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type FreshStore, freshStore, toolsServer } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { type TestAnswer, type TestApp, openTestApp } from './testing/testApp.ts';
import { type TestWorker, startTestWorker } from './testing/testWorker.ts';

// Two orchestrators and two workers, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'baton-'));
const ledger = join(folder, 'ledger');
let store: FreshStore;
let apps: readonly [TestApp, TestApp];
let workers: readonly TestWorker[];
let servers: Readonly<Record<string, object>>;

const startWorkers = (): Promise<TestWorker[]> =>
  Promise.all([startTestWorker(store.url, servers), startTestWorker(store.url, servers)]);

beforeAll(async () => {
  store = await freshStore();
  servers = { tools: toolsServer(ledger) };
  apps = await Promise.all([openTestApp(store, store.url, { servers }), openTestApp(store, store.url, { servers })]);
  workers = await startWorkers();
});

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await Promise.all(apps.map((app) => app.close()));
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Goes on until it is told to. */
const workflow = (name: string, concurrency: string): string => `
workflow: ${name}
inputs: { org: { type: string, default: acme } }
concurrency: ${concurrency}
steps:
  - { id: hold, wait: { signal: go } }
finally:
  - { id: last, set: { done: true } }
`;

const start = (name: string, which: 0 | 1 = 0, inputs: object = {}): Promise<TestAnswer> =>
  apps[which].ask(`POST /v1/workflows/${name}/runs`, { json: { inputs } });

const started = async (name: string, inputs: object = {}): Promise<string> =>
  String((await start(name, 0, inputs)).body['id']);

const statusOf = async (id: string): Promise<unknown> => (await apps[0].ask(`GET /v1/runs/${id}`)).body['status'];

const becomes = async (id: string, status: string): Promise<void> => {
  await expect.poll(() => statusOf(id)).toBe(status);
};

const go = (id: string): Promise<TestAnswer> => apps[1].ask(`POST /v1/runs/${id}/signals/go`, { json: {} });

/** How many of them have a place in line. */
async function inLine(ids: readonly string[]): Promise<number> {
  const text = 'select from turn where run_id = any($1) and not is_admitted';
  return (await store.pool.query(text, [[...ids]])).rowCount ?? 0;
}

const writtenNumbers = (): unknown[] =>
  readFileSync(ledger, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { arguments?: { n?: number } }).arguments?.n);

const inOrder = async (ids: readonly string[]): Promise<unknown[]> => Promise.all(ids.map(statusOf));

describe('[L-042] runs of which only so many may go on at once', () => {
  test('wait in line, queued, and go on one after the other', async () => {
    await apps[0].deploy(workflow('queues', '{ key: "${{ inputs.org }}" }'));
    const first = await started('queues');
    await becomes(first, 'waiting');
    const second = await started('queues');
    const third = await started('queues');
    await expect.poll(() => inLine([second, third])).toBe(2);
    const { body } = await apps[0].ask(`GET /v1/runs/${second}`);
    const turn = `It waits for its turn behind run ${first}: its workflow lets 1 run begin at a time.`;
    expect(body['sentence']).toBe(turn);
    // Another key has a line of its own.
    await becomes(await started('queues', { org: 'globex' }), 'waiting');
    expect(await inOrder([second, third])).toEqual(['queued', 'queued']);
    await go(first);
    await becomes(first, 'succeeded');
    await becomes(second, 'waiting');
    expect(await statusOf(third)).toBe('queued');
    await go(second);
    await becomes(third, 'waiting');
    await go(third);
    await becomes(third, 'succeeded');
  });

  test('never begin, nor clean up, where they are cancelled in line', async () => {
    await apps[0].deploy(workflow('cancelled', '{}'));
    const first = await started('cancelled');
    await becomes(first, 'waiting');
    const second = await started('cancelled');
    await apps[0].ask(`POST /v1/runs/${second}/cancel`, { json: { reason: 'enough' } });
    await becomes(second, 'cancelled');
    const { body } = await apps[0].ask(`GET /v1/runs/${second}`);
    expect(body).toMatchObject({ error: { code: 'cancelled', message: 'enough' } });
    expect(body['startedAt']).toBe(undefined);
    expect((body['steps'] as { status: string }[]).map(({ status }) => status)).toEqual(
      expect.not.arrayContaining(['succeeded']),
    );
    await go(first);
    await becomes(first, 'succeeded');
  });

  test('are refused beyond the limit, at whichever orchestrator they arrive', async () => {
    await apps[0].deploy(workflow('rejects', '{ limit: 2, whenFull: reject }'));
    const holder = await started('rejects');
    const asked = await Promise.all(([0, 1, 0, 1, 0, 1] as const).map((which) => start('rejects', which)));
    const counted = [202, 409].map((wanted) => asked.filter(({ status }) => status === wanted).length);
    expect(counted).toEqual([1, 5]);
    const refused = asked.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({ type: 'urn:baton:problem:concurrency-full' });
    expect(refused?.body['detail']).toContain('rejects');
    await becomes(holder, 'waiting');
    await go(holder);
    await becomes(holder, 'succeeded');
    const next = await start('rejects');
    expect(next.status).toBe(202);
    expect((await apps[1].ask(`POST /v1/runs/${holder}/rerun`)).status).toBe(409);
  });

  test('take the place of the older one, whose clean-up comes first', async () => {
    await apps[0].deploy(workflow('replaces', '{ whenFull: replace }'));
    const first = await started('replaces');
    await becomes(first, 'waiting');
    const [second, third] = [await started('replaces'), await started('replaces')];
    await becomes(first, 'cancelled');
    await becomes(second, 'cancelled');
    await becomes(third, 'waiting');
    const { body } = await apps[0].ask(`GET /v1/runs/${first}`);
    expect(body['error']).toMatchObject({ code: 'cancelled' });
    await go(third);
    await becomes(third, 'succeeded');
  });

  test('are refused where their key cannot be computed', async () => {
    const text = workflow('keyless', '{ key: "${{ inputs.org }}" }').replace('default: acme', 'optional: true');
    await apps[0].deploy(text);
    expect((await start('keyless')).body).toMatchObject({ status: 422, errors: [{ pointer: '/inputs' }] });
    expect((await start('keyless', 0, { org: 'acme' })).status).toBe(202);
  });

  test('Runs of which only so many may go on at once begin in the order in which they were accepted, however urgent the later ones are', async () => {
    await apps[0].deploy(`workflow: ordered
inputs: { n: { type: integer } }
concurrency: { limit: 1 }
steps: [{ tool: tools/write, with: { n: "\${{ inputs.n }}" } }]
`);
    // The first worker to look finds all of them, and the most urgent one first.
    await Promise.all(workers.map((worker) => worker.stop()));
    const runs: string[] = [];
    for (let n = 0; n < 12; n += 1) {
      const json = { inputs: { n }, priority: 1_000 - n, ...(n % 3 === 0 ? { delay: '1ms' } : {}) };
      const { body } = await apps[n % 2 === 0 ? 0 : 1].ask('POST /v1/workflows/ordered/runs', { json });
      runs.push(String(body['id']));
    }
    workers = await startWorkers();
    await Promise.all(runs.map((id) => becomes(id, 'succeeded')));
    expect(writtenNumbers()).toEqual(runs.map((_, n) => n));
  });
});
