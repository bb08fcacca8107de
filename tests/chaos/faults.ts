/** Faults on real processes, by families, in the order and at the times that a seed says. */
import { type FaultProxy, type OwnPostgres, type RedisServer, startRedis } from '@baton/testing';
import { Redis } from 'ioredis';
import { Client } from 'pg';

import type { App, Installation } from '../installation.ts';
import { pause } from '../pause.ts';
import type { Random } from '../sim/random.ts';
import { oldestHeartbeat } from './heartbeats.ts';
import type { PostgresPair } from './postgresPair.ts';

/** What may be broken. */
export interface Victims {
  readonly baton: Installation;
  /** The server, and the network before it. */
  readonly postgres: Pick<OwnPostgres, 'url' | 'signal' | 'gone' | 'start' | 'freeze'>;
  /** The same server, where it has a standby and a disk of its own. */
  readonly pair: PostgresPair | undefined;
  readonly network: FaultProxy;
  readonly redis: { server: RedisServer; readonly folder: string };
  /** Processes that were ended on purpose. */
  readonly ended: Set<App>;
  /** Absent: heartbeats are not looked at. */
  readonly heartbeats: StoppedHeartbeats[] | undefined;
}

/** The oldest heartbeat of the other workers before a worker is stopped and meanwhile, in milliseconds. */
export interface StoppedHeartbeats {
  readonly beforeMs: number;
  readonly meanwhileMs: number;
}

type Fault = (victims: Victims, random: Random) => Promise<void>;

const isAlive = ({ child }: App): boolean => child.exitCode === null && child.signalCode === null;

const anyOf = (apps: readonly App[], random: Random): App => random.pick(apps.filter(isAlive));

/** From here on its end is not held against it. */
async function end({ ended }: Victims, app: App, signal: NodeJS.Signals): Promise<void> {
  ended.add(app);
  await app.kill(signal);
}

async function standStill({ child }: App, ms: number): Promise<void> {
  child.kill('SIGSTOP');
  await pause(ms);
  child.kill('SIGCONT');
}

/** For longer than it takes to be given up: when it wakes up, other workers have its runs. */
const tooLongMs = 7_000;

const ahead = {
  NODE_OPTIONS: `--import=${new URL('../faults/shiftedDate.mjs', import.meta.url).href}`,
  BATON_TEST_AHEAD_MS: '3600000',
};

const faults: Readonly<Record<string, Fault>> = {
  'pg-restart': async ({ postgres }) => {
    postgres.signal('SIGQUIT');
    await postgres.gone();
    await postgres.start();
  },
  'pg-hang': async ({ network }) => {
    network.silence(true);
    await pause(3_000);
    network.silence(false);
  },
  /** For longer than a request waits. */
  'pg-stop': async ({ postgres }) => {
    const thaw = postgres.freeze();
    await pause(6_000);
    thaw();
  },
  /** Longer than it takes to look at everything in the background once. */
  'pg-57P03': async ({ network }) => {
    network.sayNo({ toNew: '57P03', toOpen: '57P01' });
    await pause(5_500);
    network.sayNo(undefined);
  },
  /** Large values and secrets cannot be read, nor written; the rest can. For longer than a statement may take. */
  'read-fail': async ({ postgres }) => {
    const operator = new Client(postgres.url);
    await operator.connect();
    await operator.query('begin; lock table blob, secret in access exclusive mode');
    await pause(6_000);
    await operator.end();
  },
  'standby-promote': async ({ pair, network }) => pair?.failOver(() => network.cutAll()),
  /** For longer than a statement may take. */
  'disk-full': async ({ pair }) => {
    const free = pair?.fillDisk();
    await pause(6_000);
    await free?.();
  },
  'pg-cut': async ({ network }) => network.cutAll(),
  'pg-refuse': async ({ network }) => {
    network.refuse(true);
    await pause(1_500);
    network.refuse(false);
  },
  /** It comes back empty. */
  'redis-kill': async ({ redis }) => {
    const { pid, port } = redis.server;
    process.kill(pid, 'SIGKILL');
    await pause(500);
    redis.server = await startRedis({ folder: redis.folder, port });
  },
  'redis-flush': async ({ redis }) => {
    const operator = new Redis(redis.server.url);
    await operator.flushall();
    operator.disconnect();
  },
  'redis-hang': async ({ redis }) => {
    process.kill(redis.server.pid, 'SIGSTOP');
    await pause(2_500);
    process.kill(redis.server.pid, 'SIGCONT');
  },
  'worker-kill': async (victims, random) => {
    const killed = anyOf(victims.baton.driving, random);
    await end(victims, killed, 'SIGKILL');
    await victims.baton.startAnother(killed.kind);
  },
  'worker-stop': async ({ baton, postgres, heartbeats }, random) => {
    const stopped = anyOf(baton.driving, random);
    const others = baton.driving.filter((app) => app !== stopped && isAlive(app));
    const pids = others.flatMap(({ child }) => child.pid ?? []);
    const stop = (): Promise<void> => standStill(stopped, tooLongMs);
    if (heartbeats === undefined) return stop();
    const beforeMs = await oldestHeartbeat(postgres.url, pids, () => pause(tooLongMs));
    heartbeats.push({ beforeMs, meanwhileMs: await oldestHeartbeat(postgres.url, pids, stop) });
  },
  'worker-drain': async (victims, random) => {
    const old = anyOf(victims.baton.driving, random);
    await victims.baton.startAnother(old.kind);
    await end(victims, old, 'SIGTERM');
  },
  'orchestrator-kill': async (victims, random) => {
    const killed = anyOf(victims.baton.orchestrators, random);
    await end(victims, killed, 'SIGKILL');
    await victims.baton.startAnother(killed.kind);
  },
  'orchestrator-stop': ({ baton }, random) => standStill(anyOf(baton.orchestrators, random), 2_000),
  /** Something was asked, perhaps committed, and the answer does not come. */
  'net-answers': async ({ network }) => {
    for (let times = 0; times < 5; times++) {
      network.cutAtAnswer();
      await pause(150);
    }
  },
  /** Connections that are open fall silent for good. */
  'net-swallow': async ({ network }) => network.forget(),
  /** A process of each kind that is an hour ahead takes its share for a while. */
  clock: async (victims) => {
    const { baton } = victims;
    const kinds = new Set([...baton.workers, ...baton.orchestrators].map(({ kind }) => kind));
    const wrong = await Promise.all([...kinds].map((kind) => baton.startAnother(kind, ahead)));
    await pause(1_000);
    await Promise.all(wrong.map((app) => end(victims, app, 'SIGTERM')));
  },
};

const families = Object.keys(faults);
/** They need a `PostgresPair`. */
const onlyOfPairs = new Set(['standby-promote', 'disk-full']);

export interface DoneFault {
  readonly name: string;
  /** Epoch milliseconds. */
  readonly endedAt: number;
}

/**
 * Each fault of these families, one after the other in an order of the seed's, once and then again and again until the
 * time is over. A family is a fault's name, or what stands before its hyphen.
 */
export async function torment(
  victims: Victims,
  random: Random,
  { seconds, only }: { readonly seconds: number; readonly only: readonly string[] },
): Promise<DoneFault[]> {
  const chosen = Object.entries(faults)
    .filter(([name]) => only.length === 0 || only.some((family) => name === family || name.startsWith(`${family}-`)))
    .filter(([name]) => victims.pair !== undefined || !onlyOfPairs.has(name));
  if (chosen.length === 0)
    throw new Error(
      `no family of these: ${only.join(', ')}; there are ${families.join(', ')}. ` +
        `${[...onlyOfPairs].join(' and ')} need root and Debian's postgresql-15.`,
    );
  const done: DoneFault[] = [];
  const untilMs = performance.now() + seconds * 1_000;
  for (;;) {
    const round = chosen
      .map(([name, fault]) => ({ name, fault, place: random.next() }))
      .toSorted((a, b) => a.place - b.place);
    for (const { name, fault } of round) {
      if (performance.now() > untilMs && done.length >= round.length) return done;
      await fault(victims, random);
      done.push({ name, endedAt: Date.now() });
      await pause(random.int(100, 500));
    }
  }
}

/** Processes that ended though no fault ended them, as sentences. */
export function endedByThemselves({ baton, ended }: Victims): string[] {
  return baton.apps
    .filter((app) => !isAlive(app) && !ended.has(app))
    .map(({ child, log }) => `${child.spawnargs.at(-1)} ended by itself with ${child.exitCode}: ${log().slice(-500)}`);
}
