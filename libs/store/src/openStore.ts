/** Opens the store: its connections to the database, and the operations that every run needs. */
import {
  type BlobStore,
  type FairShare,
  type Journal,
  type KeyValues,
  type NeglectedRun,
  type StateSource,
  systemClock,
} from '@baton/runner';
import type { Pool, PoolClient } from 'pg';

import { UnmarkedEvents } from './audit/unmarkedEvents.ts';
import { AuditKeys } from './database/auditKeys.ts';
import type { Database } from './database/database.ts';
import { readDatabaseAddress } from './database/databaseAddress.ts';
import { type PoolOptions, type Pools, openPools, usualAnswerMs } from './database/openPools.ts';
import { PinnedConnection } from './database/pinnedConnection.ts';
import { openPrisma } from './database/prismaClient.ts';
import { HistoryWatch } from './fence/historyWatch.ts';
import { PostgresBlobs } from './journal/blobs.ts';
import { PostgresJournal } from './journal/journal.ts';
import { LastWrite } from './journal/lastWrite.ts';
import { Reader } from './journal/readEvents.ts';
import type { UsageCount } from './journal/usage.ts';
import { writeFault } from './journal/writeFault.ts';
import { Writer } from './journal/writer.ts';
import { keyValuesIn } from './kv/keyValues.ts';
import { RequestWriter } from './runs/requestRun.ts';
import { type RunOutcome, OutcomeReader } from './runs/runOutcomes.ts';
import type { BeginningRequest, RequestOutcome, RunRequest } from './runs/runRequest.ts';
import type { UnstoredLog } from './runs/unstoredLog.ts';
import { offeredRuns } from './sharing/fairShare.ts';
import { type RunsAtWork, readRunsAtWork } from './sharing/runsAtWork.ts';
import { storedState } from './state/readState.ts';
import type { ValuePlace } from './values/valuePlace.ts';
import { type FoundVersion, type VersionRequest, VersionReader } from './workflows/findVersion.ts';

export interface Store extends Database {
  readonly journal: Journal;
  readonly blobs: BlobStore;
  readonly state: StateSource;
  readonly keyValues: KeyValues;
  /** See `writeFault`. */
  writeFault(): Promise<string | undefined>;
  readonly history: Pick<HistoryWatch, 'begin' | 'look' | 'lookAnew' | 'warning' | 'whenLifted'>;
  /** Whether runs and writes are counted for budgets: on, until it is known that there are none. */
  readonly usage: UsageCount;
  /** See `RequestWriter.request`. */
  request(request: RunRequest): Promise<RequestOutcome>;
  /** See `RequestWriter.requestWithin`. */
  requestWithin(client: PoolClient, requests: readonly RunRequest[]): Promise<ReadonlyMap<string, RequestOutcome>>;
  /** A run that begins here at once: the first append to its log stores it. */
  unstored(request: BeginningRequest): UnstoredLog;
  /** See `OutcomeReader.find`. */
  findOutcome(runId: string): Promise<RunOutcome | undefined>;
  /** See `offeredRuns`. */
  offeredRuns(sharing: FairShare, offered: readonly string[]): Promise<readonly NeglectedRun[]>;
  /** See `readRunsAtWork`. */
  runsAtWork(): Promise<RunsAtWork>;
  /** See `VersionReader.find`. */
  findVersion(wanted: VersionRequest): Promise<FoundVersion | undefined>;
  /** See `VersionReader.remembered`. */
  rememberedVersion(workflow: string): FoundVersion | undefined;
  /** Connections of each pool, and callers that wait for one. */
  poolUse(): readonly PoolUse[];
  /** Settles every pending append and request, then closes every connection. */
  close(): Promise<void>;
}

interface PoolUse {
  readonly pool: string;
  readonly busy: number;
  readonly idle: number;
  readonly waiting: number;
}

const useOf = (pool: string, { totalCount, idleCount, waitingCount }: Pool): PoolUse => ({
  pool,
  busy: totalCount - idleCount,
  idle: idleCount,
  waiting: waitingCount,
});

export interface StoreOptions extends PoolOptions {
  /** The installation's key, 32 bytes; the keys for marks and signatures are derived from it. */
  readonly secretKey: Buffer;
  /** The shared time, epoch milliseconds. Absent: the clock of this machine. */
  readonly now?: () => number;
  /** Where values are that were moved out of the database. */
  readonly values?: ValuePlace | undefined;
  /** See `HistoryWatch`. */
  readonly onRewound?: (message: string) => void;
}

/** Each once: two may be the same. */
const ownPools = ({ requests, sessions, ...more }: Pools): [string, Pool][] =>
  Object.entries({ requests, ...(sessions === requests ? {} : { sessions }), ...more });

/** Connects at the first operation. The database must have been migrated: see `migrate`. */
export function openStore(options: StoreOptions): Store {
  const { answerMs = usualAnswerMs, onRewound = () => undefined, now = () => systemClock.now() } = options;
  const pools = openPools(options, (ask) => history.check(ask));
  const pool = pools.requests;
  const living = new PinnedConnection(pools.heartbeat);
  const writing = new PinnedConnection(pools.journal);
  const reading = new PinnedConnection(pools.journal);
  const requesting = new PinnedConnection(pools.journal);
  const prisma = openPrisma(pool, answerMs, readDatabaseAddress(options.url).schema);
  const auditKeys = new AuditKeys(options.secretKey);
  const history = new HistoryWatch({ database: { prisma, pool, auditKeys, now }, onRewound });
  const appends = { connection: writing, last: new LastWrite() };
  const requests = { connection: requesting, last: new LastWrite() };
  const usage: UsageCount = { isOn: true };
  const writer = new Writer(pool, appends);
  const requestWriter = new RequestWriter(pool, requests, auditKeys, usage);
  const versions = new VersionReader(pool);
  const outcomes = new OutcomeReader(reading);
  const unmarked = new UnmarkedEvents(pool, auditKeys);
  const journal = new PostgresJournal(new Reader(reading, auditKeys), writer, auditKeys, unmarked, usage);
  return {
    prisma,
    pool,
    sessions: pools.sessions,
    liveness: living,
    auditKeys,
    now,
    journal,
    blobs: new PostgresBlobs(prisma, options.values),
    values: options.values,
    state: storedState(pool),
    keyValues: keyValuesIn(pool),
    history,
    usage,
    writeFault: () => writeFault(pool, [appends, requests]),
    request: (request) => requestWriter.request(request),
    requestWithin: (client, requests) => requestWriter.requestWithin(client, requests),
    unstored: (request) => requestWriter.unstored(request, journal),
    findOutcome: (runId) => outcomes.find(runId),
    offeredRuns: (sharing, offered) => offeredRuns(reading, sharing, offered),
    runsAtWork: () => readRunsAtWork(reading),
    findVersion: (wanted) => versions.find(wanted),
    rememberedVersion: (workflow) => versions.remembered(workflow),
    poolUse: () => ownPools(pools).map(([name, one]) => useOf(name, one)),
    close: async () => {
      await Promise.all([writer.idle(), requestWriter.idle()]);
      for (const connection of [writing, reading, requesting, living]) connection.close();
      await prisma.$disconnect();
      await Promise.all(ownPools(pools).map(([, one]) => one.end()));
    },
  };
}
