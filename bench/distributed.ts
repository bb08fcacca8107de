/**
 * `forEach` with `distribute: true`: each item is a run of its own. Items per second by their number, beside runs per
 * second that do what an item does, as many in flight, in turns on the same installation.
 *
 *   node bench/distributed.ts [--rounds 3] [--seconds 3] [--counts 100,1000,10000] [--workers 1] [--profile FOLDER]
 *     [--json FILE]
 *
 * An orchestrator and workers, each a process, on Redis where there is one. `cpuUs`: of the workers and Postgres, for
 * one item or one run; plain runs are put on record by another process, which does not count. `--profile` writes CPU
 * profiles of orchestrator and workers.
 */
import { writeFileSync } from 'node:fs';

import { Client } from 'pg';

import { cpuMs } from './core/cpu.ts';
import type { Side } from './core/load.ts';
import { parseOptions } from './core/parseOptions.ts';
import { median, spread } from './core/stats.ts';
import type { Ratio } from './report/ratios.ts';
import { openServices } from './services.ts';
import { batonQueue } from './sides/baton.ts';
import { type Stack, startStack } from './sides/stack.ts';

const { values } = parseOptions({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    counts: { type: 'string', default: '100,1000,10000' },
    workers: { type: 'string', default: '1' },
    profile: { type: 'string' },
    json: { type: 'string' },
  },
});
const counts = values.counts.split(',').map(Number);
const rounds = Number(values.rounds);
const inFlight = 50;
/** The number of items that is compared with plain runs. */
const compared = counts.includes(1_000) ? 1_000 : Math.max(...counts);

const workflowOf = (count: number): string => `
workflow: d${count}
steps:
  - id: each
    forEach: "\${{ range(${count}) }}"
    maxParallel: ${inFlight}
    distribute: true
    steps: [{ id: made, set: { n: "\${{ item * 2 }}" } }]
    collect: "\${{ steps.made.n }}"
outputs: { sum: "\${{ sum(steps.each.output) }}" }
`;

interface Measured {
  readonly perSecond: number;
  readonly cpuUs: number;
}

/** From the request of the run to its durable end, by their instants. Asks the database: a view costs the orchestrator. */
async function secondsOf({ client }: Stack, count: number): Promise<number> {
  const id = await client.start(`d${count}`);
  const text = 'select status, extract(epoch from ended_at - created_at)::float as seconds from run where id = $1';
  for (;;) {
    const { rows } = await database.query<{ status: string; seconds: number | null }>(text, [id]);
    const [run] = rows;
    if (typeof run?.seconds === 'number') {
      if (run.status !== 'succeeded') throw new Error(`the run has ${run.status}`);
      return run.seconds;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const services = await openServices();
const stack = await startStack(services, {
  name: 'distributed',
  redisUrl: services.redis?.url,
  workers: Number(values.workers),
  execArgv: values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`],
});
const database = new Client(stack.databaseUrl);
await database.connect();
const { side, feeder } = await batonQueue(stack, services);
const processes = (): Pick<Side, 'pids' | 'trees'> => ({
  pids: stack.workers.map(({ pid }) => pid),
  trees: [services.postgres.pid],
});

async function around(work: () => Promise<{ readonly seconds: number; readonly count: number }>): Promise<Measured> {
  const before = cpuMs(processes());
  const { seconds, count } = await work();
  return { perSecond: count / seconds, cpuUs: ((cpuMs(processes()) - before) * 1_000) / count };
}

const items = (count: number): Promise<Measured> =>
  around(async () => ({ seconds: await secondsOf(stack, count), count }));

const runs = (): Promise<Measured> =>
  around(async () => {
    const load = { kind: 'W0', steps: 1, concurrency: inFlight, forMs: Number(values.seconds) * 1_000 } as const;
    const measured = await side.measure(load);
    if (measured === undefined) throw new Error('there is no such workload');
    return { seconds: measured.seconds, count: measured.runs };
  });

const told = (what: string, all: readonly Measured[]): void =>
  console.log(
    JSON.stringify({
      what,
      perSecond: Math.round(median(all.map(({ perSecond }) => perSecond))),
      cpuUs: Math.round(median(all.map(({ cpuUs }) => cpuUs))),
    }),
  );

try {
  for (const count of counts) await stack.client.deploy(workflowOf(count));
  for (let warm = 0; warm < 2; warm += 1) {
    await items(compared);
    await runs();
  }
  const byCount = new Map(counts.map((count) => [count, [] as Measured[]]));
  const plain: Measured[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const [count, all] of byCount) {
      all.push(await items(count));
      if (count === compared) plain.push(await runs());
    }
  }
  for (const [count, all] of byCount) told(`${count} items`, all);
  told('runs', plain);
  const perSecond = (count: number): number[] => (byCount.get(count) ?? []).map((one) => one.perSecond);
  const ratioOf = (name: string, of: readonly number[], beside: readonly number[], target?: number): Ratio => ({
    name,
    ...spread(of.map((one, round) => one / (beside[round] ?? Number.NaN))),
    ...(target === undefined ? {} : { target }),
    isBetterHigher: true,
  });
  const ratios = [
    ratioOf(
      'foreach.distributed.itemsVsRuns',
      perSecond(compared),
      plain.map((one) => one.perSecond),
    ),
    ...(counts.includes(10_000) && compared === 1_000
      ? [ratioOf('growth.distributed.10k.vs1k', perSecond(10_000), perSecond(1_000), 0.8)]
      : []),
  ];
  for (const ratio of ratios) console.log(JSON.stringify(ratio));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ ratios }, null, 2)}\n`);
} finally {
  await database.end();
  await feeder.stop();
  await stack.close();
  await services.close();
}
