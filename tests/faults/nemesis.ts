/** Faults on real processes, in the order and at the times that a seed says. */
import type { FaultProxy, RedisServer } from '@baton/testing';
import { startRedis } from '@baton/testing';
import { Redis } from 'ioredis';

import type { App, Installation } from '../installation.ts';
import type { Random } from '../sim/random.ts';

/** What may be broken. */
export interface Victims {
  readonly baton: Installation;
  readonly postgres: FaultProxy;
  readonly redis: { server: RedisServer; readonly folder: string };
}

type Fault = (victims: Victims, random: Random) => Promise<void>;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const isAlive = ({ child }: App): boolean => child.exitCode === null && child.signalCode === null;

const anyOf = (apps: readonly App[], random: Random): App => random.pick(apps.filter(isAlive));

const faults: Readonly<Record<string, Fault>> = {
  killWorker: async ({ baton }, random) => {
    await anyOf(baton.workers, random).kill('SIGKILL');
    await baton.startWorker();
  },
  /** For longer than it takes to be given up: when it wakes up, its runs are somebody else’s. */
  stopWorker: async ({ baton }, random) => {
    const { child } = anyOf(baton.workers, random);
    child.kill('SIGSTOP');
    await pause(8_000);
    child.kill('SIGCONT');
  },
  drainWorker: async ({ baton }, random) => {
    const old = anyOf(baton.workers, random);
    await baton.startWorker();
    await old.kill('SIGTERM');
  },
  killOrchestrator: async ({ baton }, random) => {
    await anyOf(baton.orchestrators, random).kill('SIGKILL');
    await baton.startOrchestrator();
  },
  flushRedis: async ({ redis }) => {
    const operator = new Redis(redis.server.url);
    await operator.flushall();
    operator.disconnect();
  },
  pauseRedis: async ({ redis }) => {
    process.kill(redis.server.pid, 'SIGSTOP');
    await pause(2_500);
    process.kill(redis.server.pid, 'SIGCONT');
  },
  /** It comes back empty. */
  killRedis: async ({ redis }) => {
    const { pid, port } = redis.server;
    process.kill(pid, 'SIGKILL');
    await pause(1_000);
    redis.server = await startRedis({ folder: redis.folder, port });
  },
  cutPostgres: async ({ postgres }) => postgres.cutAll(),
  /** Something was asked, perhaps committed, and the answer does not come. */
  cutAnswers: async ({ postgres }) => {
    for (let times = 0; times < 5; times++) {
      postgres.cutAtAnswer();
      await pause(150);
    }
  },
  refusePostgres: async ({ postgres }) => {
    postgres.refuse(true);
    await pause(1_500);
    postgres.refuse(false);
  },
  silencePostgres: async ({ postgres }) => {
    postgres.silence(true);
    await pause(2_000);
    postgres.silence(false);
  },
};

/** All kinds of faults, one after the other in an order of the seed’s, again and again, until the time is over. */
export async function torment(victims: Victims, random: Random, seconds: number): Promise<string[]> {
  const done: string[] = [];
  const untilMs = performance.now() + seconds * 1_000;
  for (;;) {
    const round = Object.entries(faults)
      .map(([name, fault]) => ({ name, fault, place: random.next() }))
      .toSorted((a, b) => a.place - b.place);
    for (const { name, fault } of round) {
      if (performance.now() > untilMs && done.length >= round.length) return done;
      done.push(name);
      await fault(victims, random);
      await pause(random.int(100, 700));
    }
  }
}
