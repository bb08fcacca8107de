/**
 * What an installation costs that has nothing to do: CPU in milliseconds per second of each process, statements and
 * commands per second, and memory.
 *
 *   node bench/idle.ts [--workers 4] [--seconds 30] [--sources] [--no-redis]
 *
 * As after a second start: the database has its tables. Nine workflows are deployed, and the processes have rested for
 * ten seconds when the measurement begins; memory is read at its end. `memoryMiB` is the proportional set size:
 * pages that processes share are divided among them. The CPU is the system's own accounting of the processes, so other
 * load on the machine moves it little.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { migrate } from '@baton/store';
import { Client } from 'pg';

import { build } from '../tests/builtApps.ts';
import { parseOptions } from './core/parseOptions.ts';
import { FleetMeter, usedBetween } from './fleet/reading.ts';
import { openServices } from './services.ts';
import { startStack } from './sides/stack.ts';

const { values } = parseOptions({
  options: {
    workers: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '30' },
    sources: { type: 'boolean', default: false },
    'no-redis': { type: 'boolean', default: false },
  },
});
const workers = Number(values.workers);

function proportionalMiB(pid: number): number {
  const [, kib = '0'] = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

/** Of a process and those that it started. */
function familyOf(pid: number): readonly number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(familyOf)];
}

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);
const mibOf = (pids: readonly number[]): number => Math.round(sum(pids.map(proportionalMiB)));

const services = await openServices({ connections: 100 + 13 * (workers + 1) });
const { postgres, redis } = services;
const migrated = async (name: string): Promise<string> => {
  const url = await services.database(name);
  await migrate(url);
  return url;
};
const stack = await startStack(
  { ...services, database: migrated },
  {
    name: 'idle',
    redisUrl: values['no-redis'] ? undefined : redis?.url,
    workers,
    built: values.sources ? undefined : await build({ isSmall: true }),
    // As the `baton` command starts them.
    env: { NODE_COMPILE_CACHE: join(services.folder, 'compiled'), MALLOC_ARENA_MAX: '2' },
  },
);
const database = new Client(stack.databaseUrl);
await database.connect();
const meter = new FleetMeter(services, database);
try {
  const pids = { workers: stack.workers.map(({ pid }) => pid), orchestrators: [stack.orchestrator.pid] };
  await sleep(10_000);
  const before = await meter.read(pids);
  await sleep(Number(values.seconds) * 1_000);
  const { cores, commits, redisCommands } = usedBetween(before, await meter.read(pids));
  // The connections of this bench are no memory of Baton's.
  meter.close();
  await database.end();
  const ms = (one: number): number => Number((one * 1_000).toFixed(1));
  console.log(
    JSON.stringify({
      workers,
      cpuMsPerSecond: {
        worker: ms(cores.workers / workers),
        orchestrator: ms(cores.orchestrators),
        postgres: ms(cores.postgres),
        redis: ms(cores.redis),
      },
      commits,
      redisCommands,
      memoryMiB: {
        worker: Math.round(mibOf(pids.workers) / workers),
        orchestrator: mibOf(pids.orchestrators),
        postgres: mibOf(familyOf(postgres.pid)),
        redis: redis === undefined ? 0 : mibOf([redis.pid]),
      },
    }),
  );
} finally {
  await stack.close();
  await services.close();
}
