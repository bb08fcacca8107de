/**
 * An hour at half load, with restarts: memory, descriptors, sessions, dead rows and bytes on disk as slopes with their
 * errors, and the latency of the last sixth beside that of the first.
 *
 *   node bench/soak.ts [--minutes 60] [--restart 120] [--per-second N] [--json FILE]
 *
 * Two orchestrators and two workers on Redis. The second of each is stopped and started anew in turn, every `--restart`
 * seconds; the first ones run throughout, and are measured. Runs are W(3) over REST, each waited for, at a steady rate:
 * half of what ten seconds of as many as possible reach, unless `--per-second` says how many. Slopes leave out the first
 * sixth of the time, and are for an hour; one is flat if its error is larger than it.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Client } from 'pg';

import { build } from '../tests/builtApps.ts';
import type { Child } from './core/childSide.ts';
import { machine, residentBytes } from './core/cpu.ts';
import { closedLoop } from './core/loop.ts';
import { parseOptions } from './core/parseOptions.ts';
import { slopeOf } from './core/stats.ts';
import { openServices } from './services.ts';
import { type RestClient, restClient } from './sides/restClient.ts';
import { startStack } from './sides/stack.ts';

const { values } = parseOptions({
  options: {
    minutes: { type: 'string', default: '60' },
    restart: { type: 'string', default: '120' },
    'per-second': { type: 'string' },
    json: { type: 'string' },
  },
});
const forMs = Number(values.minutes) * 60_000;
/** Three hundred samples. */
const sampleMs = Math.max(1_000, forMs / 300);

const found: Record<string, unknown> = { machine: machine(), minutes: Number(values.minutes) };
const tell = (name: string, figure: unknown): void => {
  found[name] = figure;
  console.log(JSON.stringify({ [name]: figure }));
};

const childrenOf = (pid: number): number =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).length;
const processFigures = (name: string, { pid }: Child): Record<string, number> => ({
  [`${name}MiB`]: residentBytes(pid) / 2 ** 20,
  [`${name}Descriptors`]: readdirSync(`/proc/${pid}/fd`).length,
  [`${name}Children`]: childrenOf(pid),
});

const tables = `select sum(n_dead_tup)::float as dead, sum(n_live_tup)::float as live,
    sum(pg_total_relation_size(relid))::float as bytes, (select count(*) from run)::float as runs,
    (select count(*) from pg_stat_activity where datname = current_database())::float as connections
  from pg_stat_user_tables`;

interface Answered {
  readonly atMs: number;
  readonly tookMs: number;
}

/** Begins a run every so often, whether the ones before have ended or not. */
class SteadyLoad {
  readonly answered: Answered[] = [];
  failed = 0;
  readonly #clients: readonly RestClient[];
  #begun = 0;

  constructor(clients: readonly RestClient[]) {
    this.#clients = clients;
  }

  /** Resolves when the time is over and all runs have ended. */
  async run(perSecond: number, untilMs: number): Promise<void> {
    const startMs = performance.now();
    const open = new Set<Promise<void>>();
    for (let now = startMs; now < untilMs; now = performance.now()) {
      for (const due = ((now - startMs) / 1_000) * perSecond; this.#begun < due;) {
        const one = this.#one().finally(() => open.delete(one));
        open.add(one);
      }
      await sleep(10);
    }
    await Promise.all(open);
  }

  async #one(): Promise<void> {
    const client = this.#clients[this.#begun % this.#clients.length];
    this.#begun += 1;
    const atMs = performance.now();
    try {
      await client?.run('w3');
      this.answered.push({ atMs, tookMs: performance.now() - atMs });
    } catch {
      this.failed += 1;
    }
  }
}

const p99 = (some: readonly Answered[]): number => {
  const sorted = some.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b);
  return Number((sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN).toFixed(1));
};

const stops: (() => Promise<unknown>)[] = [];
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
try {
  const services = await openServices();
  stops.push(() => services.close());
  const stack = await startStack(services, {
    name: 'soak',
    redisUrl: services.redis?.url,
    built: await build(),
    env: { NODE_COMPILE_CACHE: join(services.folder, 'compiled') },
  });
  stops.push(() => stack.close());
  const database = new Client(stack.databaseUrl);
  await database.connect();
  stops.push(() => database.end());
  const most = await closedLoop({ concurrency: 50, forMs: 10_000 }, () => stack.client.run('w3'));
  const perSecond = values['per-second'] === undefined ? most.runs / most.seconds / 2 : Number(values['per-second']);
  tell('perSecond', Math.round(perSecond));

  const startMs = performance.now();
  const endMs = startMs + forMs;
  // Clients stay with the orchestrator that runs throughout: what is asked of the other one is lost with it.
  const load = new SteadyLoad([restClient(String(stack.orchestrator.ready['url']), stack.key)]);
  const loading = load.run(perSecond, endMs);
  const samples: Record<string, number>[] = [];
  const [steady] = stack.workers;
  const adders = [() => stack.addWorker(), () => stack.addOrchestrator()] as const;
  const second: (Child | undefined)[] = [await stack.addWorker(), await stack.addOrchestrator()];
  let restarts = 0;
  let restartAt = performance.now() + Number(values.restart) * 1_000;
  while (performance.now() < endMs) {
    await sleep(sampleMs);
    if (performance.now() > restartAt) {
      restartAt += Number(values.restart) * 1_000;
      const part = restarts % 2;
      await second[part]?.stop();
      second[part] = await adders[part]?.();
      restarts += 1;
    }
    const { rows } = await database.query<Record<'dead' | 'live' | 'bytes' | 'runs' | 'connections', number>>(tables);
    const { dead = 0, live = 0, bytes = 0, runs = 0, connections = 0 } = rows[0] ?? {};
    samples.push({
      atMs: performance.now() - startMs,
      ...processFigures('orchestrator', stack.orchestrator),
      ...(steady === undefined ? {} : processFigures('worker', steady)),
      ...(services.redis === undefined ? {} : { redisMiB: residentBytes(services.redis.pid) / 2 ** 20 }),
      connections,
      deadShare: dead / Math.max(1, live + dead),
      bytesPerRun: bytes / Math.max(1, runs),
    });
  }
  await loading;
  const later = samples.filter(({ atMs = 0 }) => atMs > forMs / 6);
  const names = Object.keys(samples[0] ?? {}).filter((name) => name !== 'atMs');
  for (const name of names) {
    const points = later.map((sample) => [(sample['atMs'] ?? 0) / 3_600_000, sample[name] ?? Number.NaN] as const);
    const { value, error } = slopeOf(points);
    const [first, last] = [points.at(0)?.[1] ?? Number.NaN, points.at(-1)?.[1] ?? Number.NaN];
    const round = (one: number): number => Number(one.toPrecision(3));
    tell(name, { first: round(first), last: round(last), perHour: round(value), error: round(error) });
  }
  const sixth = forMs / 6;
  const between = (from: number, to: number): Answered[] =>
    load.answered.filter(({ atMs }) => atMs - startMs >= from && atMs - startMs < to);
  tell('p99Ms', { firstSixth: p99(between(0, sixth)), lastSixth: p99(between(forMs - sixth, forMs)) });
  tell('runs', { answered: load.answered.length, failed: load.failed, restarts });
} finally {
  for (const stop of stops.toReversed()) await stop();
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(found, null, 2)}\n`);
