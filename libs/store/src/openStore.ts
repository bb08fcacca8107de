/** Opens the store: its connections to the database, and the operations that every run needs. */
import {
  type BlobStore,
  type FairShare,
  type Journal,
  type NeglectedRun,
  type StateSource,
  liveness,
  systemClock,
} from '@baton/runner';
import { Pool, type PoolClient } from 'pg';

import { UnmarkedEvents } from './audit/unmarkedEvents.ts';
import { AuditKeys } from './database/auditKeys.ts';
import { batonName } from './database/batonName.ts';
import type { Database } from './database/database.ts';
import { readDatabaseAddress } from './database/databaseAddress.ts';
import { PinnedConnection } from './database/pinnedConnection.ts';
import { openPrisma } from './database/prismaClient.ts';
import { watchedClient } from './database/watchedClient.ts';
import { HistoryWatch } from './fence/historyWatch.ts';
import { PostgresBlobs } from './journal/blobs.ts';
import { PostgresJournal } from './journal/journal.ts';
import { LastWrite } from './journal/lastWrite.ts';
import { Reader } from './journal/readEvents.ts';
import { writeFault } from './journal/writeFault.ts';
import { Writer } from './journal/writer.ts';
import { RequestWriter } from './runs/requestRun.ts';
import { type RunOutcome, OutcomeReader } from './runs/runOutcomes.ts';
import type { BeginningRequest, RequestOutcome, RunRequest } from './runs/runRequest.ts';
import type { UnstoredLog } from './runs/unstoredLog.ts';
import { offeredRuns } from './sharing/fairShare.ts';
import { type RunsAtWork, readRunsAtWork } from './sharing/runsAtWork.ts';
import { storedState } from './state/readState.ts';
import { type FoundVersion, type VersionRequest, VersionReader } from './workflows/findVersion.ts';

export interface Store extends Database {
  readonly journal: Journal;
  readonly blobs: BlobStore;
  readonly state: StateSource;
  /** See `writeFault`. */
  writeFault(): Promise<string | undefined>;
  readonly history: Pick<HistoryWatch, 'begin' | 'look' | 'lookAnew' | 'warning' | 'whenLifted'>;
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

export interface StoreOptions {
  readonly url: string;
  /** The installation's key, 32 bytes; the keys for marks and signatures are derived from it. */
  readonly secretKey: Buffer;
  /** Of the connections, as Postgres shows it. */
  readonly applicationName?: string;
  /** Maximum number of connections, not counting three for the journal and one for the heartbeat. */
  readonly connections?: number;
  /** How long a statement may take until the database counts as unreachable. Default: 5 s; 15 s within a transaction. */
  readonly answerMs?: number;
  /** The shared time, epoch milliseconds. Absent: the clock of this machine. */
  readonly now?: () => number;
  /** Called when an idle connection breaks. */
  readonly onTrouble?: (error: Error) => void;
  /** See `HistoryWatch`. */
  readonly onRewound?: (message: string) => void;
}

/** Connects at the first operation. The database must have been migrated: see `migrate`. */
export function openStore(options: StoreOptions): Store {
  const {
    url,
    applicationName = batonName,
    connections = 10,
    answerMs = 5_000,
    onTrouble = () => undefined,
    onRewound = () => undefined,
    now = () => systemClock.now(),
  } = options;
  const openPool = (max: number, patienceMs: number, Client = watchedClient()): Pool =>
    new Pool({
      connectionString: url,
      application_name: applicationName,
      max,
      connectionTimeoutMillis: Math.min(5_000, patienceMs),
      query_timeout: patienceMs,
      keepAlive: true,
      Client,
    }).on('error', onTrouble);
  const WatchedClient = watchedClient((ask) => history.check(ask));
  const pool = openPool(connections, answerMs, WatchedClient);
  // The journal has its own connections, so that it never waits behind long reads.
  const journalPool = openPool(3, answerMs, WatchedClient);
  // Not even closed together with others: one long statement is no reason for a late heartbeat.
  const livenessPool = openPool(1, Math.min(answerMs, liveness.fenceMs / 2));
  const living = new PinnedConnection(livenessPool);
  const writing = new PinnedConnection(journalPool);
  const reading = new PinnedConnection(journalPool);
  const requesting = new PinnedConnection(journalPool);
  const prisma = openPrisma(pool, answerMs, readDatabaseAddress(url).schema);
  const auditKeys = new AuditKeys(options.secretKey);
  const history = new HistoryWatch({ database: { prisma, pool, auditKeys, now }, onRewound });
  const appends = { connection: writing, last: new LastWrite() };
  const requests = { connection: requesting, last: new LastWrite() };
  const writer = new Writer(pool, appends);
  const requestWriter = new RequestWriter(pool, requests, auditKeys);
  const versions = new VersionReader(pool);
  const outcomes = new OutcomeReader(reading);
  const unmarked = new UnmarkedEvents(pool, auditKeys);
  const journal = new PostgresJournal(new Reader(reading, auditKeys), writer, auditKeys, unmarked);
  return {
    prisma,
    pool,
    liveness: living,
    auditKeys,
    now,
    journal,
    blobs: new PostgresBlobs(prisma),
    state: storedState(pool),
    history,
    writeFault: () => writeFault(pool, [appends, requests]),
    request: (request) => requestWriter.request(request),
    requestWithin: (client, requests) => requestWriter.requestWithin(client, requests),
    unstored: (request) => requestWriter.unstored(request, journal),
    findOutcome: (runId) => outcomes.find(runId),
    offeredRuns: (sharing, offered) => offeredRuns(reading, sharing, offered),
    runsAtWork: () => readRunsAtWork(reading),
    findVersion: (wanted) => versions.find(wanted),
    rememberedVersion: (workflow) => versions.remembered(workflow),
    poolUse: () => [useOf('requests', pool), useOf('journal', journalPool), useOf('heartbeat', livenessPool)],
    close: async () => {
      await Promise.all([writer.idle(), requestWriter.idle()]);
      for (const connection of [writing, reading, requesting, living]) connection.close();
      await prisma.$disconnect();
      await Promise.all([journalPool.end(), pool.end(), livenessPool.end()]);
    },
  };
}
