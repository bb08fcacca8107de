/**
 * `forEach` by the number of its items: what one item costs must not grow, nor what finished items leave in memory.
 *
 *   node bench/forEach.ts [--rounds 5] [--answer-bytes 8192] [--json FILE]
 *   node --expose-gc bench/forEach.ts     what is held, too
 *
 * `durable`: the runner as a worker has it, with a journal in a Postgres of its own, whose calls answer at once.
 * `collect` and `undone`: the engine and the runner's way of keeping values as they are, calls that answer at once: each item is decided, called,
 * reported, judged, collected, its events made JSON and read back, as a journal would. `heldPerItem` is what the run
 * itself keeps for one finished item, in bytes, its answer being `answer-bytes` long.
 */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';

import { isEnded, judge, replay, settle, type Run, type RunEvent } from '@baton/engine';

import { temporaryPostgres } from '../libs/boot/src/index.ts';
import { type Ports, BlobCache, RunDrivers, KnownSecrets, requested, systemClock } from '../libs/runner/src/index.ts';
import { type Store, migrate, openStore } from '../libs/store/src/index.ts';
import { planOf } from '../libs/testing/src/index.ts';
import { parseOptions } from './core/parseOptions.ts';
import { median, spread } from './core/stats.ts';

const { values } = parseOptions({
  options: {
    rounds: { type: 'string', default: '5' },
    'answer-bytes': { type: 'string', default: '8192' },
    json: { type: 'string' },
  },
});
const answerText = 'x'.repeat(Number(values['answer-bytes']));

const planFor = (undo: string): ReturnType<typeof planOf> =>
  planOf(`
workflow: bench
inputs: { count: { type: integer } }
steps:
  - id: each
    forEach: "\${{ range(inputs.count) }}"
    maxParallel: 50
    steps: [{ id: look, tool: s/look, effect: read, with: { n: "\${{ item }}" }${undo} }]
    collect: "\${{ index }}"
  - { id: last, ${undo === '' ? 'set: { x: 1 }' : 'fail: enough'} }
`);

interface Measured {
  readonly itemsPerSecond: number;
  readonly heldPerItem: number;
  readonly events: number;
}

const noBlobs = (): undefined => undefined;

/** Drives a run of `count` items to its end; `written` is asked to keep each event. */
function drive(plan: ReturnType<typeof planOf>, count: number): Measured {
  const requested: RunEvent = {
    type: 'run.requested',
    at: 1,
    workflow: 'bench',
    definition: 'bench',
    inputs: { json: { count } },
    trigger: { kind: 'api' },
    by: 'bench',
  };
  const around = {
    nowMs: 1,
    blobs: noBlobs,
    offload: (event: RunEvent) => JSON.parse(JSON.stringify(event)) as RunEvent,
  };
  const open = new Map<string, { readonly path: string; readonly attempt: number }>();
  let run: Run = replay('bench', [requested]);
  let events = 1;
  let held = 0;
  let heldBefore = 0;
  const start = performance.now();
  let news: readonly RunEvent[] = [{ type: 'run.claimed', at: 1, worker: 'bench', claim: 1 }];
  while (!isEnded(run)) {
    const settled = settle(plan, run, news, around);
    run = settled.run;
    events += settled.events.length;
    for (const command of settled.perform) if (command.kind === 'call') open.set(command.path, command);
    const [first] = open.values();
    if (first === undefined) break;
    open.delete(first.path);
    const result = { content: [{ type: 'text', text: `${answerText}${events}` }] };
    const report = {
      path: first.path,
      attempt: first.attempt,
      at: 1,
      outcome: 'succeeded',
      value: { json: result },
    } as const;
    news = judge(plan, run, report);
    if (globalThis.gc !== undefined && first.path === 'each/60/look') heldBefore = heapUsed();
    if (globalThis.gc !== undefined && first.path === `each/${count - 1}/look`) held = heapUsed() - heldBefore;
  }
  const seconds = (performance.now() - start) / 1000;
  return { itemsPerSecond: count / seconds, heldPerItem: held / Math.max(1, count - 61), events };
}

function heapUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** Items per second of one run, from its claim to its durable end. */
async function durable(store: Store, runner: RunDrivers, count: number): Promise<number> {
  const { event } = requested(
    { workflow: 'bench', definition: 'bench', inputs: { count }, trigger: { kind: 'api' }, by: 'bench' },
    Date.now(),
  );
  const made = await store.request({ event });
  if (made.kind !== 'created') throw new Error(`a run was not made: ${made.kind}`);
  const start = performance.now();
  const driven = await runner.drive(made.runId);
  if (driven !== 'finished') throw new Error(`the run is ${driven}`);
  return count / ((performance.now() - start) / 1000);
}

function runnerOn(store: Store, plan: ReturnType<typeof planOf>): RunDrivers {
  const result = { content: [{ type: 'text', text: answerText }] };
  const none = async (): Promise<never> => {
    throw new Error('no step of this workflow needs it');
  };
  const ports: Ports = {
    worker: 'bench',
    journal: store.journal,
    blobs: store.blobs,
    cache: new BlobCache(1 << 26),
    plans: async () => plan,
    calls: { callTool: async () => ({ result }), getPrompt: none, readResource: none, release: () => {} },
    models: { sample: none },
    children: { request: none, cancel: none },
    secrets: none,
    state: store.state,
    known: new KnownSecrets(),
    bell: { ring: async () => {}, close: async () => {} },
    bus: { publish: () => {}, subscribe: () => () => {}, close: async () => {} },
    clock: systemClock,
    workers: { isAlive: async () => false },
    fence: { openSince: () => 0 },
  };
  return new RunDrivers(ports);
}

const counts = [100, 1_000, 10_000];

async function benchDurable(): Promise<void> {
  const postgres = await temporaryPostgres();
  try {
    await migrate(postgres.url);
    const store = openStore({ url: postgres.url, secretKey: randomBytes(32) });
    const runner = runnerOn(store, planFor(''));
    await durable(store, runner, 1_000);
    const rounds: number[][] = [];
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const row: number[] = [];
      for (const count of counts) {
        const times: number[] = [];
        for (let i = 0; i < 10_000 / count; i += 1) times.push(1 / (await durable(store, runner, count)));
        row.push(times.length / times.reduce((sum, one) => sum + one, 0));
      }
      rounds.push(row);
    }
    counts.forEach((items, i) => {
      const itemsPerSecond = Math.round(median(rounds.map((row) => row[i] ?? Number.NaN)));
      console.log(JSON.stringify({ workload: 'durable', items, itemsPerSecond }));
    });
    const ratios = rounds.map((row) => (row.at(-1) ?? Number.NaN) / (row[0] ?? Number.NaN));
    const ratio = { name: 'growth.foreach.10k.vs100', ...spread(ratios), target: 0.8, isBetterHigher: true };
    console.log(JSON.stringify(ratio));
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ ratios: [ratio] }, null, 2)}\n`);
    await store.close();
  } finally {
    await postgres.stop();
  }
}

for (const [name, plan] of [
  ['collect', planFor('')],
  ['undone', planFor(', undo: { tool: s/forget, effect: read }')],
] as const) {
  for (let warm = 0; warm < 3; warm += 1) drive(plan, 1_000);
  const rounds = Array.from({ length: Number(values.rounds) }, () =>
    counts.map((count) => {
      // The same number of items in each measurement, so that each has the collector's work of its own.
      const all = Array.from({ length: 10_000 / count }, () => drive(plan, count));
      return {
        itemsPerSecond: 1 / (all.reduce((sum, one) => sum + 1 / one.itemsPerSecond, 0) / all.length),
        heldPerItem: all[0]?.heldPerItem ?? 0,
      };
    }),
  );
  counts.forEach((items, i) => {
    const itemsPerSecond = Math.round(median(rounds.map((round) => round[i]?.itemsPerSecond ?? Number.NaN)));
    const heldPerItem = Math.round(median(rounds.map((round) => round[i]?.heldPerItem ?? Number.NaN)));
    console.log(
      JSON.stringify({
        workload: name,
        items,
        itemsPerSecond,
        ...(globalThis.gc === undefined ? {} : { heldPerItem }),
      }),
    );
  });
}
await benchDurable();
