/** What a fleet of processes has used so far, and what it used between two readings. */
import { Redis } from 'ioredis';
import type { Client } from 'pg';

import { cpuMs, residentBytes } from '../core/cpu.ts';
import type { Services } from '../services.ts';

interface FleetPids {
  readonly workers: readonly number[];
  readonly orchestrators: readonly number[];
}

interface FleetReading {
  readonly atMs: number;
  readonly commits: number;
  readonly walBytes: number;
  readonly commands: number;
  readonly published: number;
  readonly cpuMs: Readonly<Record<'postgres' | 'redis' | 'workers' | 'orchestrators', number>>;
}

/** Per second, unless it says otherwise. */
export interface FleetUse {
  readonly seconds: number;
  readonly commits: number;
  readonly walMiB: number;
  readonly redisCommands: number;
  /** Messages on the bus as they were published; each goes to every subscriber. */
  readonly busMessages: number;
  /** Processor time of each part, in processors. */
  readonly cores: FleetReading['cpuMs'];
}

export class FleetMeter {
  readonly #services: Services;
  readonly #database: Client;
  readonly #redis: Redis | undefined;

  /** `database`: connected, to the installation's. */
  constructor(services: Services, database: Client) {
    this.#services = services;
    this.#database = database;
    this.#redis = services.redis && new Redis(services.redis.url);
  }

  async read({ workers, orchestrators }: FleetPids): Promise<FleetReading> {
    const { postgres, redis } = this.#services;
    const { rows } = await this.#database.query<{ commits: string; wal: string }>(
      `select xact_commit as commits, pg_current_wal_lsn() - '0/0'::pg_lsn as wal from pg_stat_database
       where datname = current_database()`,
    );
    const stats = (await this.#redis?.info('stats', 'commandstats')) ?? '';
    const numberIn = (pattern: RegExp): number => Number(pattern.exec(stats)?.[1] ?? 0);
    return {
      atMs: performance.now(),
      commits: Number(rows[0]?.commits),
      walBytes: Number(rows[0]?.wal),
      commands: numberIn(/^total_commands_processed:(\d+)/m),
      published: numberIn(/^cmdstat_publish:calls=(\d+)/m),
      cpuMs: {
        postgres: cpuMs({ pids: [], trees: [postgres.pid] }),
        redis: cpuMs({ pids: redis === undefined ? [] : [redis.pid], trees: [] }),
        workers: cpuMs({ pids: workers, trees: [] }),
        orchestrators: cpuMs({ pids: orchestrators, trees: [] }),
      },
    };
  }

  /** Connections to the database, how many of them worked at this moment, and clients of Redis. */
  async connections(): Promise<Readonly<Record<'postgres' | 'active' | 'redis', number>>> {
    const { rows } = await this.#database.query<{ all: string; active: string }>(
      `select count(*) as all, count(*) filter (where state = 'active' and pid <> pg_backend_pid()) as active
       from pg_stat_activity where datname = current_database()`,
    );
    const clients = /^connected_clients:(\d+)/m.exec((await this.#redis?.info('clients')) ?? '')?.[1];
    return { postgres: Number(rows[0]?.all), active: Number(rows[0]?.active), redis: Number(clients ?? 0) };
  }

  close(): void {
    this.#redis?.disconnect();
  }
}

export function usedBetween(before: FleetReading, after: FleetReading): FleetUse {
  const seconds = (after.atMs - before.atMs) / 1_000;
  const rate = (name: 'commits' | 'walBytes' | 'commands' | 'published'): number =>
    Math.round((after[name] - before[name]) / seconds);
  const parts = Object.entries(after.cpuMs).map(([name, ms]) => {
    const used = (ms - before.cpuMs[name as keyof FleetReading['cpuMs']]) / 1_000 / seconds;
    return [name, Number(used.toFixed(3))] as const;
  });
  return {
    seconds: Number(seconds.toFixed(1)),
    commits: rate('commits'),
    walMiB: Number((rate('walBytes') / 2 ** 20).toFixed(2)),
    redisCommands: rate('commands'),
    busMessages: rate('published'),
    cores: Object.fromEntries(parts) as FleetReading['cpuMs'],
  };
}

/** Mebibytes in use by a process of a group: the mean and the largest. */
export function memoryOf(pids: readonly number[]): { readonly mean: number; readonly largest: number } {
  const mib = pids.map((pid) => residentBytes(pid) / 2 ** 20);
  return {
    mean: Math.round(mib.reduce((sum, one) => sum + one, 0) / mib.length),
    largest: Math.round(Math.max(...mib)),
  };
}
