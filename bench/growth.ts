/**
 * What becomes of the figures when there is much of something: finished runs, queued runs, waiting runs, bytes.
 *
 *   node bench/growth.ts [--runs 100000] [--queued 10000] [--waiting 10000] [--rounds 3] [--seconds 5] [--json FILE]
 *     [--only stored|startsBesideQueued|idleBesideWaiting|payloads]
 *
 * `growth.runs.vsEmpty`: W(3) from the queue on, beside an installation that has stored nothing, in turns.
 * `growth.queued.vsEmpty`: p50 of a start over REST with so many runs queued, beside the same with none.
 * `idle.waiting`: CPU of the whole stack, as a share of one core, while so many runs wait for a signal.
 * `forEach`: bench/forEach.ts.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { Client } from 'pg';

import { cpuMs, residentBytes } from './core/cpu.ts';
import type { Load, Side } from './core/load.ts';
import { closedLoop } from './core/loop.ts';
import { median, spread } from './core/stats.ts';
import type { Services } from './services.ts';
import { openServices } from './services.ts';
import { batonQueue } from './sides/baton.ts';
import type { Stack } from './sides/stack.ts';
import { startStack } from './sides/stack.ts';
import { storeFinishedRuns } from './sides/storeFinishedRuns.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    queued: { type: 'string', default: '10000' },
    waiting: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    json: { type: 'string' },
    only: { type: 'string' },
  },
});
const [runs, queued, waiting, rounds, seconds] = [
  values.runs,
  values.queued,
  values.waiting,
  values.rounds,
  values.seconds,
].map(Number) as [number, number, number, number, number];
const load: Load = { kind: 'W', steps: 3, concurrency: 50, forMs: seconds * 1_000 };
const stops: (() => Promise<void>)[] = [];
const found: Record<string, unknown>[] = [];

const tell = (figure: Record<string, unknown>): void => {
  found.push(figure);
  console.log(JSON.stringify(figure));
};

const rateOf = async (side: Side): Promise<number> => {
  const measured = await side.measure(load);
  return measured === undefined ? Number.NaN : measured.runs / measured.seconds;
};

async function opened(services: Services, name: string, database: number, workers = 1): Promise<Stack> {
  const { redis } = services;
  const stack = await startStack(services, { name, redisUrl: redis && `${redis.url}/${database}`, workers });
  stops.push(() => stack.close());
  return stack;
}

async function feeding(stack: Stack, services: Services): Promise<Side> {
  const { side, feeder } = await batonQueue(stack, services);
  stops.push(() => feeder.stop());
  return side;
}

async function stored(services: Services): Promise<void> {
  const [empty, full] = [await opened(services, 'empty', 3), await opened(services, 'full', 4)];
  const [beside, side] = [await feeding(empty, services), await feeding(full, services)];
  for (const one of [beside, side]) await one.measure({ ...load, forMs: 2_000 });
  await full.client.run('w3');
  await storeFinishedRuns(full.databaseUrl, runs);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [first, second] = round % 2 === 0 ? [beside, side] : [side, beside];
    const rates = new Map([
      [first, await rateOf(first)],
      [second, await rateOf(second)],
    ]);
    ratios.push((rates.get(side) ?? Number.NaN) / (rates.get(beside) ?? Number.NaN));
  }
  tell({ name: 'growth.runs.vsEmpty', runs, ...spread(ratios) });
}

async function startsBesideQueued(services: Services): Promise<void> {
  const [empty, full] = [await opened(services, 'none-queued', 9, 0), await opened(services, 'queued', 5, 0)];
  let left = queued;
  const starters = Array.from({ length: 50 }, async () => {
    while (left-- > 0) await full.client.start('w3');
  });
  await Promise.all(starters);
  const p50 = async ({ client }: Stack): Promise<number> =>
    (await closedLoop({ concurrency: 1, forMs: 1_500 }, () => client.start('w3'))).p50Ms;
  for (const stack of [empty, full]) await p50(stack);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [first, second] = round % 2 === 0 ? [empty, full] : [full, empty];
    const times = new Map([
      [first, await p50(first)],
      [second, await p50(second)],
    ]);
    ratios.push((times.get(full) ?? Number.NaN) / (times.get(empty) ?? Number.NaN));
  }
  tell({ name: 'growth.queued.vsEmpty', queued, ...spread(ratios) });
}

async function idleBesideWaiting(services: Services): Promise<void> {
  const stack = await opened(services, 'waiting', 6);
  await stack.client.deploy('workflow: waits\nsteps:\n  - { id: s, wait: { signal: go } }\n');
  const processes = { orchestrator: stack.orchestrator.pid, worker: stack.workers[0]?.pid ?? 0 };
  const before = Object.values(processes).map(residentBytes);
  let left = waiting;
  const starters = Array.from({ length: 50 }, async () => {
    while (left-- > 0) await stack.client.start('waits');
  });
  await Promise.all(starters);
  const sql = new Client(stack.databaseUrl);
  await sql.connect();
  for (let isDone = false; !isDone; await sleep(200)) {
    const { rows } = await sql.query<{ n: string }>(`select count(*) as n from run where status <> 'waiting'`);
    isDone = rows[0]?.n === '0';
  }
  await sql.end();
  await sleep(3_000);
  const counted = { pids: Object.values(processes), trees: [services.postgres.pid] };
  const [cpuBefore, from] = [cpuMs(counted), performance.now()];
  await sleep(10_000);
  const share = (cpuMs(counted) - cpuBefore) / (performance.now() - from);
  const grown = Object.values(processes).map((pid, i) =>
    Math.round((residentBytes(pid) - (before[i] ?? 0)) / 1024 / 1024),
  );
  tell({ name: 'idle.waiting', waiting, shareOfACore: Number(share.toFixed(3)), grownMiB: grown });
}

async function payloads(services: Services): Promise<void> {
  const stack = await opened(services, 'payloads', 7);
  for (const bytes of [1_000, 10_000, 100_000, 1_000_000]) {
    const name = `p${bytes}`;
    const message = `"\${{ inputs.text }}"`;
    await stack.client.deploy(
      `workflow: ${name}\ninputs: { text: { type: string, default: ${'x'.repeat(Math.min(bytes, 60_000))} } }\nsteps:\n  - { id: a, set: { all: "\${{ [${Array.from({ length: Math.ceil(bytes / 60_000) }, () => 'inputs.text').join(', ')}].join('') }}" } }\n  - { id: b, tool: everything/echo, effect: write, with: { message: ${message.replace('inputs.text', 'steps.a.output.all')} } }\n`,
    );
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const { p50Ms } = await closedLoop({ concurrency: 1, forMs: 1_000 }, () => stack.client.run(name));
      times.push(p50Ms);
    }
    tell({ name: 'payload', bytes, p50Ms: Number(median(times).toFixed(1)) });
  }
}

try {
  const services = await openServices();
  stops.push(() => services.close());
  for (const part of [stored, startsBesideQueued, idleBesideWaiting, payloads]) {
    if (values.only !== undefined && part.name !== values.only) continue;
    await part(services).catch((error: unknown) => tell({ name: part.name, failed: String(error).slice(0, 300) }));
  }
} finally {
  for (const stop of stops.toReversed()) await stop();
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(found, null, 2)}\n`);
