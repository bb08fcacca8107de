/**
 * More workers on one Postgres and one Redis: what a run costs each part, and what all parts share.
 *
 *   node bench/scale.ts [--seconds 6] [--rounds 3] [--json FILE]
 *
 * W(3) and W(10) from the queue on, 200 in flight. A machine of few processors gives no more runs per second for more
 * workers; what it does give is CPU per run of each process, from which docs/measurements.md computes where Postgres ends.
 */
import { writeFileSync } from 'node:fs';

import { cpuMs } from './core/cpu.ts';
import { type Load, nameOf } from './core/load.ts';
import { parseOptions } from './core/parseOptions.ts';
import { median } from './core/stats.ts';
import { openServices } from './services.ts';
import { batonQueue } from './sides/baton.ts';
import { startStack } from './sides/stack.ts';

const { values } = parseOptions({
  options: {
    seconds: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'string' },
  },
});
const found: object[] = [];
const stops: (() => Promise<void>)[] = [];
const loads = [3, 10].map((steps): Load => ({
  kind: 'W',
  steps,
  concurrency: 200,
  forMs: Number(values.seconds) * 1_000,
}));

try {
  const services = await openServices();
  stops.push(() => services.close());
  const { redis, postgres } = services;
  const stack = await startStack(services, { name: 'scale', redisUrl: redis && `${redis.url}/8` });
  stops.push(() => stack.close());
  const { side, feeder } = await batonQueue(stack, services);
  stops.push(() => feeder.stop());
  const parts = {
    postgres: { pids: [], trees: [postgres.pid] },
    redis: { pids: redis === undefined ? [] : [redis.pid], trees: [] },
    orchestrator: { pids: [stack.orchestrator.pid], trees: [] },
    feeder: { pids: [feeder.pid], trees: [] },
    get workerProcesses() {
      return { pids: stack.workers.map(({ pid }) => pid), trees: [] };
    },
  };
  for (const wanted of [1, 2, 4]) {
    while (stack.workers.length < wanted) await stack.addWorker();
    for (const load of loads) {
      await side.measure({ ...load, forMs: 1_500 });
      const rounds: Record<string, number>[] = [];
      for (let round = 0; round < Number(values.rounds); round += 1) {
        const before = Object.entries(parts).map(([name, part]) => [name, cpuMs(part)] as const);
        const measured = await side.measure(load);
        if (measured === undefined) continue;
        const { runs, seconds } = measured;
        const microseconds = before.map(([name, ms]) => {
          const part = parts[name as keyof typeof parts];
          return [name, ((cpuMs(part) - ms) * 1_000) / runs] as const;
        });
        rounds.push({ runsPerSecond: runs / seconds, ...Object.fromEntries(microseconds) });
      }
      const names = Object.keys(rounds[0] ?? {});
      const medians = names.map((name) => [name, Math.round(median(rounds.map((one) => one[name] ?? Number.NaN)))]);
      const figure = { workers: wanted, workload: nameOf(load), ...Object.fromEntries(medians) };
      found.push(figure);
      console.log(JSON.stringify(figure));
    }
  }
} finally {
  for (const stop of stops.toReversed()) await stop();
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(found, null, 2)}\n`);
