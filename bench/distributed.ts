/**
 * `forEach` with `distribute: true` by the number of its items: each is a run of its own, whose end is told to the run
 * around it. What one item costs must not grow with how many there are.
 *
 *   node bench/distributed.ts [--rounds 3] [--counts 100,1000,10000]
 *
 * One process that drives every run that is rung for, twenty runs at once, on a journal in a Postgres of its own.
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';

import { childRuns } from '../apps/worker/src/children.ts';
import { temporaryPostgres } from '../libs/boot/src/index.ts';
import type { Bell, Bus } from '../libs/runner/src/index.ts';
import { BlobCache, RunDrivers, KnownSecrets, requested, systemClock } from '../libs/runner/src/index.ts';
import type { Store } from '../libs/store/src/index.ts';
import { migrate, openStore } from '../libs/store/src/index.ts';
import { planOf } from '../libs/testing/src/index.ts';
import { median } from './core/stats.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, counts: { type: 'string', default: '100,1000,10000' } },
});
const counts = values.counts.split(',').map(Number);
const atOnce = 20;

const plan = planOf(`
workflow: bench
inputs: { count: { type: integer } }
steps:
  - id: each
    forEach: "\${{ range(inputs.count) }}"
    maxParallel: 8
    distribute: true
    steps: [{ id: made, set: { n: "\${{ item * 2 }}" } }]
    collect: "\${{ steps.made.n }}"
outputs: { sum: "\${{ sum(steps.each.output) }}" }
`);

function openRunner(store: Store): { readonly until: (runId: string) => Promise<void> } {
  const rung: string[] = [];
  let heard = Promise.withResolvers<void>();
  const ring = (...runIds: readonly string[]): void => {
    rung.push(...runIds);
    heard.resolve();
    heard = Promise.withResolvers();
  };
  const bell: Bell = { ring: async (rings) => ring(...rings.map(({ runId }) => runId)), close: async () => {} };
  const bus: Bus = { publish: (hint) => drives.routeHint(hint), subscribe: () => () => {}, close: async () => {} };
  const none = async (): Promise<never> => {
    throw new Error('no step of this workflow needs it');
  };
  const plans = async (): Promise<typeof plan> => plan;
  const drives: RunDrivers = new RunDrivers({
    worker: 'bench',
    journal: store.journal,
    blobs: store.blobs,
    cache: new BlobCache(1 << 26),
    plans,
    calls: { callTool: none, getPrompt: none, readResource: none, release: () => {} },
    models: { sample: none },
    children: childRuns({ store, plans, bell, bus, clock: systemClock }),
    secrets: none,
    known: new KnownSecrets(),
    bell,
    bus,
    clock: systemClock,
    workers: { isAlive: async () => false },
    fence: { openSince: () => 0 },
  });
  const until = async (runId: string): Promise<void> => {
    let isOver = false;
    ring(runId);
    const one = async (): Promise<void> => {
      while (!isOver) {
        const next = rung.shift();
        if (next === undefined) await heard.promise;
        else if ((await drives.drive(next)) === 'finished' && next === runId) {
          isOver = true;
          ring();
        }
      }
    };
    await Promise.all(Array.from({ length: atOnce }, one));
  };
  return { until };
}

/** Items per second of one run, from its request to its durable end. */
async function measure(store: Store, count: number): Promise<number> {
  const { event } = requested(
    { workflow: 'bench', definition: 'bench', inputs: { count }, trigger: { kind: 'api' }, by: 'bench' },
    Date.now(),
  );
  const made = await store.request({ event });
  if (made.kind !== 'created') throw new Error(`a run was not made: ${made.kind}`);
  const start = performance.now();
  await openRunner(store).until(made.runId);
  return count / ((performance.now() - start) / 1000);
}

const postgres = await temporaryPostgres();
try {
  await migrate(postgres.url);
  const store = openStore({ url: postgres.url, secretKey: randomBytes(32) });
  await measure(store, 200);
  for (const items of counts) {
    const rates: number[] = [];
    for (let round = 0; round < Number(values.rounds); round += 1) rates.push(await measure(store, items));
    console.log(JSON.stringify({ workload: 'distributed', items, itemsPerSecond: Math.round(median(rates)) }));
  }
  await store.close();
} finally {
  await postgres.stop();
}
