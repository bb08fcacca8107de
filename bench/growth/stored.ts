/** Finished runs: what each of them costs those that come after it, those who look, and to be removed. */
import { randomBytes } from 'node:crypto';

import { openStore, removeRuns } from '@baton/store';
import { Client } from 'pg';

import { cpuMs } from '../core/cpu.ts';
import type { Load, Side } from '../core/load.ts';
import { closedLoop } from '../core/loop.ts';
import { median } from '../core/stats.ts';
import type { Stack } from '../sides/stack.ts';
import { storeFinishedRuns } from '../sides/storeRuns.ts';
import { type Measuring, feed, inTurns, openStack, rateOf, ratioOf, short } from './measuring.ts';

const removedRuns = 100_000;

export async function stored(measuring: Measuring): Promise<void> {
  const { rounds, seconds, tell, promise } = measuring;
  const load: Load = { kind: 'W', steps: 3, concurrency: 50, forMs: seconds * 1_000 };
  const [empty, full] = [await openStack(measuring, 'empty'), await openStack(measuring, 'full')];
  const [beside, side] = [await feed(measuring, empty), await feed(measuring, full)];
  for (const one of [beside, side]) await one.measure({ ...load, forMs: 2_000 });
  await full.client.run('w3');
  let before = 0;
  for (const count of [0, ...measuring.stored]) {
    await storeFinishedRuns(full.databaseUrl, { from: before + 1, to: count });
    before = count;
    const cpu = new Map<Side, number[]>([
      [side, []],
      [beside, []],
    ]);
    const { ratios, of } = await inTurns([side, beside], rounds, async (one) => {
      const start = cpuOf(one);
      const rate = await rateOf(one, load);
      cpu.get(one)?.push((cpuOf(one) - start) / (rate * seconds));
      return rate;
    });
    const target = count === 1_000_000 ? { target: 0.95 } : {};
    promise(ratioOf(`growth.runs.${short(count)}.vsEmpty`, ratios, { ...target, isBetterHigher: true }));
    const [ofFull, ofEmpty] = [cpu.get(side) ?? [], cpu.get(beside) ?? []];
    const perRun = ofFull.map((ms, i) => ms / (ofEmpty[i] ?? Number.NaN));
    promise(ratioOf(`growth.runs.${short(count)}.cpu.vsEmpty`, perRun, { isBetterHigher: false }));
    tell({
      name: 'stored',
      runs: count,
      runsPerSecond: Math.round(median(of)),
      cpuMsPerRun: Number(median(ofFull).toFixed(3)),
      gib: Number((await gibOf(full)).toFixed(2)),
    });
    await lookAt(full, count, tell);
  }
  await removal(full, { side, load }, measuring);
}

const cpuOf = ({ pids, trees }: Side): number => cpuMs({ pids, trees });

async function gibOf({ databaseUrl }: Stack): Promise<number> {
  return (await asked(databaseUrl, 'select pg_database_size(current_database()) as found')) / 2 ** 30;
}

/** One number, called `found`; none where the statement finds nothing. */
async function asked(url: string, text: string): Promise<number> {
  const client = new Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ found: string }>(text);
    return Number(rows[0]?.found);
  } finally {
    await client.end();
  }
}

const pages = [
  '/v1/runs',
  '/v1/runs?workflow=w3',
  '/v1/runs?status=succeeded',
  '/v1/runs?status=failed',
  '/v1/runs?status=queued&status=running&status=waiting',
  '/v1/runs?tag=none',
  '/v1/runs?trigger=schedule',
  `/v1/runs?to=${new Date(Date.now() - 2 * 86_400_000).toISOString()}`,
  '/v1/audit',
  '/v1/audit?action=runs.removed',
  '/v1/audit?by=unknown',
  '/v1/retention',
];

async function lookAt({ client }: Stack, runs: number, tell: Measuring['tell']): Promise<void> {
  for (const page of pages) {
    await client.get(page);
    const { p50Ms, p99Ms } = await closedLoop({ concurrency: 1, forMs: 500 }, () => client.get(page));
    tell({ name: 'page', runs, page: page.replace(/to=.*/, 'to=…'), p50Ms: round(p50Ms), p99Ms: round(p99Ms) });
  }
}

const round = (ms: number): number => Number(ms.toFixed(1));

/** A tenth of them goes, without rest between the batches: how long it takes, and what it costs runs beside it. */
async function removal(
  { databaseUrl }: Stack,
  { side, load }: { readonly side: Side; readonly load: Load },
  { tell }: Measuring,
): Promise<void> {
  const text = `select floor(extract(epoch from ended_at) * 1000) as found from run order by id offset ${removedRuns} limit 1`;
  const endedBefore = await asked(databaseUrl, text);
  const store = openStore({ url: databaseUrl, secretKey: randomBytes(32) });
  const alone = await rateOf(side, load);
  const start = performance.now();
  let removed = 0;
  const removing = (async () => {
    for (let after: string | undefined, isMore = true; isMore; isMore = after !== undefined) {
      const batch = await removeRuns(store, { endedBefore, after });
      removed += batch?.runs ?? 0;
      after = batch?.next;
    }
    return performance.now() - start;
  })();
  const beside = await rateOf(side, load);
  const removalMs = await removing;
  await store.close();
  const vacuumMs = await timed(() => asked(databaseUrl, 'vacuum run, run_event, sealed_run'));
  tell({
    name: 'removal',
    runs: removed,
    runsPerSecond: Math.round((removed / removalMs) * 1_000),
    throughputBeside: Number((beside / alone).toFixed(2)),
    vacuumSeconds: round(vacuumMs / 1_000),
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
