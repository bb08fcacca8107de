import { defined, endsWithin, within } from '@baton/primitives';
import {
  type Bell,
  type BellListener,
  type Bus,
  type Channels,
  type BellHandler,
  type Meters,
  UnavailableError,
} from '@baton/runner';

import type { QueueBacking } from './backing.ts';
import { QueueBell, usualAnswerMs } from './bell.ts';
import type { BellJob } from './bellJob.ts';
import { EvictionError, type QueueReport, RefusedError } from './doctor.ts';
import { type BellSlots, type ListenOptions, QueueListener } from './listener.ts';
import { migrateQueue } from './migrateQueue.ts';
import { type DatabaseClient, postgresBacking, type QueueTables } from './postgresBacking.ts';
import { type TroubleHandler, QueueTroubles, replyOf } from './queueTrouble.ts';
import { readRedisAddress } from './redisAddress.ts';
import { redisBacking } from './redisBacking.ts';
import { RedisBus } from './redisBus.ts';
import { type RedisConnection, redisConnection } from './redisConnection.ts';
import { redisMeters } from './redisMeters.ts';

export interface QueueSettings {
  /** See `readRedisAddress`. Absent: the queue lives in Postgres. */
  readonly redisUrl?: string | undefined;
  readonly databaseUrl?: string | undefined;
  /** The class of the connections to Postgres. */
  readonly databaseClient?: DatabaseClient | undefined;
  /** Of BullMQ's tables in Postgres. Default: `<prefix>_queue`. */
  readonly databaseSchema?: string | undefined;
  /** The first part of every key and channel in Redis. Default `baton`. */
  readonly prefix?: string;
  /**
   * The second part of every key and channel in Redis. Without it, installations on one Redis take each other's bells.
   */
  readonly installationId?: string | undefined;
  /** Allows a Redis that may evict bells and locks, which makes runs late, not wrong. */
  readonly mayEvict?: boolean;
  /** How long to wait for the queue to take a bell; for a report, twice as long. Default: 1 s. */
  readonly answerMs?: number | undefined;
  readonly onTrouble?: TroubleHandler;
  /** See `QueueReports`. */
  readonly onBack?: (awayMs: number) => void;
}

export interface OpenQueue {
  readonly bell: Bell;
  /** A bus over Redis; undefined if the queue is in Postgres. */
  readonly bus: (Bus & Channels) | undefined;
  /** Meters in Redis; undefined if the queue is in Postgres. */
  readonly meters: Meters | undefined;
  listen(onBell: BellHandler, options: ListenOptions): BellListener & BellSlots;
  doctor(): Promise<QueueReport>;
  /** Whether bells may be missed now: an error was met within the last seconds. */
  isDeaf(): boolean;
  /** Closes everything; listeners get no grace time. */
  close(): Promise<void>;
}

/** Longest wait at closing for a server that may never answer. */
const closeMs = 2_000;
/** How often to try a Postgres that is too busy to answer; each attempt waits about a second. */
const firstTries = 20;

/**
 * Opens the queue. If Redis is unreachable, it connects later. If Postgres is slow, it tries again. Rejects with
 * `EvictionError`, with `UnavailableError` if Postgres stays slow, and with BullMQ's error if its tables cannot be
 * reached or migrated.
 */
export async function openQueue(settings: QueueSettings): Promise<OpenQueue> {
  const { redisUrl, databaseUrl, prefix = 'baton', answerMs = usualAnswerMs } = settings;
  const { onTrouble = () => undefined, onBack } = settings;
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(prefix)) {
    throw new RangeError(`the queue's prefix must be a short lower-case name, and is "${prefix.slice(0, 80)}"`);
  }
  const troubles = new QueueTroubles(redisUrl === undefined ? 'postgres' : 'redis', { onTrouble, onBack });
  const opening = { prefix, troubles, answerMs };
  if (redisUrl !== undefined)
    return openOnRedis(
      redisUrl,
      { ...opening, prefix: redisPrefix(prefix, redisUrl, settings) },
      settings.mayEvict ?? false,
    );
  const { databaseClient, databaseSchema = `${prefix}_queue` } = settings;
  if (databaseUrl === undefined || databaseClient === undefined)
    throw new RangeError('the queue needs a redisUrl, or a databaseUrl and a databaseClient');
  return openOnPostgres({ url: databaseUrl, schema: databaseSchema, Client: databaseClient }, opening);
}

interface QueueOpening {
  readonly prefix: string;
  readonly troubles: QueueTroubles;
  readonly answerMs: number;
}

/** In a cluster all keys have one hash tag: a script reaches only keys of one slot. */
function redisPrefix(prefix: string, redisUrl: string, { installationId }: QueueSettings): string {
  const own = installationId === undefined ? prefix : `${prefix}:${installationId}`;
  return readRedisAddress(redisUrl).kind === 'cluster' ? `{${own}}` : own;
}

async function openOnPostgres(tables: QueueTables, opening: QueueOpening): Promise<OpenQueue> {
  for (let left = firstTries - 1; ; left -= 1) {
    let queue: OpenQueue | undefined;
    try {
      await migrateQueue(tables, opening.answerMs);
      const backing = postgresBacking(tables, opening.answerMs);
      queue = assemble(backing, undefined, opening);
      await backing.producer.waitUntilReady();
      return queue;
    } catch (error) {
      // BullMQ remembers the result of its first connection for ever, so a new instance is needed.
      await queue?.close();
      if (!isLate(error)) throw error;
      if (left === 0) throw new UnavailableError('the queue in Postgres gives no answer', { cause: error });
      opening.troubles.report('connection', error);
    }
  }
}

/** Whether Postgres did not answer in time, rather than refuse. */
const isLate = (error: unknown): boolean => error instanceof Error && /time-?out/i.test(error.message);

async function openOnRedis(url: string, opening: QueueOpening, mayEvict: boolean): Promise<OpenQueue> {
  const { prefix, troubles, answerMs } = opening;
  const ringing = redisConnection(url, 'ring', { commandTimeout: answerMs });
  ringing.on('ready', () => troubles.noteConnection(true));
  ringing.on('close', () => troubles.noteConnection(false));
  const bus = new RedisBus(
    { publisher: ringing, openSubscriber: () => redisConnection(url, 'subscribe') },
    `${prefix}:hints`,
    troubles,
  );
  const backing = redisBacking(url, prefix, ringing);
  const queue = assemble(backing, { bus, ringing, meters: redisMeters(ringing, prefix) }, opening);
  if (!(await endsWithin(ringing.connect(), 2 * answerMs))) return queue;
  const { findings } = await queue.doctor();
  const eviction = findings.find(({ code }) => code === 'eviction');
  if (eviction !== undefined && !mayEvict) {
    await queue.close();
    throw new EvictionError(`${eviction.message} ${eviction.hint}`);
  }
  return queue;
}

function assemble(
  backing: QueueBacking,
  redis: { readonly bus: Bus & Channels; readonly ringing: RedisConnection; readonly meters: Meters } | undefined,
  { troubles, answerMs }: QueueOpening,
): OpenQueue {
  backing.producer.on('error', (error) => troubles.report('connection', error));
  const listeners = new Set<QueueListener>();
  const bell = new QueueBell((jobs) => addTo(backing, jobs), { answerMs });
  return {
    bell,
    bus: redis?.bus,
    meters: redis?.meters,
    listen: (onBell, options) => {
      const listener = new QueueListener(backing, bell, onBell, options, troubles);
      listeners.add(listener);
      return listener;
    },
    isDeaf: () => troubles.isDeaf(),
    doctor: () => report(backing, troubles, 2 * answerMs),
    close: async () => {
      await Promise.all([...listeners].map((listener) => listener.close(0)));
      await redis?.bus.close();
      await bell.close();
      await endsWithin(backing.close(), closeMs);
      redis?.ringing.disconnect();
    },
  };
}

function addTo({ producer, firstPriority }: QueueBacking, jobs: readonly BellJob[]): Promise<unknown> {
  const placed = jobs.map(({ name, data, opts }) => ({
    name,
    data,
    opts: { ...opts, priority: (opts.priority ?? 0) + firstPriority },
  }));
  const [first] = placed;
  return placed.length === 1 && first !== undefined
    ? producer.add(first.name, first.data, first.opts)
    : producer.addBulk(placed);
}

async function report(backing: QueueBacking, troubles: QueueTroubles, answerMs: number): Promise<QueueReport> {
  const base = { kind: backing.kind, troubles: troubles.counts() };
  try {
    const { version, findings } = await within(backing.examine(), answerMs);
    const {
      waiting = 0,
      prioritized = 0,
      delayed = 0,
      active = 0,
    } = await within(backing.producer.getJobCounts('waiting', 'prioritized', 'delayed', 'active'), answerMs);
    return {
      ...base,
      isReachable: true,
      ...defined({ version }),
      findings,
      bells: { waiting: waiting + prioritized, delayed, answered: active },
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const refused = error instanceof RefusedError ? ({ isRefused: true } as const) : {};
    return { ...base, isReachable: false, ...refused, ...defined({ reply: replyOf(error) }), reason, findings: [] };
  }
}
