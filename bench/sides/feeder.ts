/**
 * Child process: puts runs on record and rings their bells as the orchestrator does, without HTTP, and hears over the
 * bus that they have ended. What is left is Baton from the queue on.
 */
import { openQueue } from '@baton/queue';
import { requested } from '@baton/runner';
import { getRun, installationId, NotifyBus, openStore, QueueClient } from '@baton/store';

import { type Workload, nameOf } from '../core/load.ts';
import { closedLoop } from '../core/loop.ts';
import { serveLoads } from '../core/serveLoads.ts';

const { DATABASE_URL: url = '', REDIS_URL: redisUrl, BATON_SECRET_KEY: secretKey = '' } = process.env;
const store = openStore({ url, secretKey: Buffer.from(secretKey, 'base64'), connections: 4 });
const queue = await openQueue({
  databaseUrl: url,
  databaseClient: QueueClient,
  installationId: await installationId(store),
  ...(redisUrl ? { redisUrl } : {}),
});
const bus = queue.bus ?? (await NotifyBus.open({ pool: store.pool, url }));

/** Who waits for a run, and the position at which it is over. */
const waiting = new Map<string, { readonly last: number; readonly done: () => void }>();
bus.subscribe(({ runId, seq }) => {
  const run = waiting.get(runId);
  if (run !== undefined && seq >= run.last) run.done();
});

/** `onRecord` is told before the bell rings. */
async function begin(workflow: string, onRecord: (runId: string) => void = () => {}): Promise<string> {
  const known = store.rememberedVersion(workflow);
  const found = known ?? (await store.findVersion({ workflow }));
  if (found === undefined) throw new Error(`no workflow ${workflow}`);
  const order = { workflow, ...found, inputs: {}, trigger: { kind: 'api' }, by: 'bench' } as const;
  const made = await store.request({ ...requested(order, Date.now()), isNewest: known !== undefined });
  if (made.kind !== 'created') throw new Error(`a run was not made: ${made.kind}`);
  const { runId } = made;
  onRecord(runId);
  // A caller that starts runs does not wait for the bell.
  queue.bell.ring([{ runId }]).catch((error: unknown) => process.send?.({ failed: String(error) }));
  return runId;
}

/** Every run of a workload has as many events as any other. */
const lengths = new Map<string, Promise<number>>();

async function lengthOf(workflow: string): Promise<number> {
  const runId = await begin(workflow);
  for (;;) {
    const run = await getRun(store, runId);
    if (run?.status === 'succeeded') return (await store.journal.open(runId))?.log.seq ?? 0;
    if (run?.endedAt !== undefined) throw new Error(`the run has ${run.status}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function prepare(load: Workload): Promise<() => Promise<void>> {
  const workflow = nameOf(load);
  const length = lengths.get(workflow) ?? lengthOf(workflow);
  lengths.set(workflow, length);
  const last = await length;
  return async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const runId = await begin(workflow, (id) => waiting.set(id, { last, done: resolve }));
    await promise;
    waiting.delete(runId);
  };
}

await serveLoads({ prepare, loop: closedLoop });
