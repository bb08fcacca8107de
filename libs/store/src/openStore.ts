/** Opens the store: its connections to the database, and the operations that every run needs. */
import { type BlobStore, type Journal, systemClock } from '@baton/runner';
import { Pool } from 'pg';

import { AuditKeys } from './audit/auditKeys.ts';
import { UnmarkedEvents } from './audit/unmarkedEvents.ts';
import type { Database } from './database/database.ts';
import { PinnedConnection } from './database/pinnedConnection.ts';
import { openPrisma } from './database/prismaClient.ts';
import { watchedClient } from './database/watchedClient.ts';
import { PostgresBlobs } from './journal/blobs.ts';
import { PostgresJournal } from './journal/journal.ts';
import { Reader } from './journal/readEvents.ts';
import { Writer } from './journal/writer.ts';
import type { FairShare, NeglectedRun } from './runs/fairShare.ts';
import { offeredRuns } from './runs/fairShare.ts';
import { RequestWriter } from './runs/requestRun.ts';
import type { RunOutcome } from './runs/runOutcomes.ts';
import { OutcomeReader } from './runs/runOutcomes.ts';
import type { RequestOutcome, RunRequest } from './runs/runRequest.ts';
import type { RunsAtWork } from './runs/runsAtWork.ts';
import { readRunsAtWork } from './runs/runsAtWork.ts';
import type { FoundVersion, VersionRequest } from './workflows/findVersion.ts';
import { VersionReader } from './workflows/findVersion.ts';

export interface Store extends Database {
  readonly journal: Journal;
  readonly blobs: BlobStore;
  /** See `RequestWriter.request`. */
  request(request: RunRequest): Promise<RequestOutcome>;
  /** See `OutcomeReader.find`. */
  findOutcome(runId: string): Promise<RunOutcome | undefined>;
  /** See `offeredRuns`. */
  offeredRuns(sharing: FairShare, offered: readonly string[]): Promise<readonly NeglectedRun[]>;
  /** See `readRunsAtWork`. */
  runsAtWork(childrenMs: number): Promise<RunsAtWork>;
  /** See `VersionReader.find`. */
  findVersion(wanted: VersionRequest): Promise<FoundVersion | undefined>;
  /** See `VersionReader.remembered`. */
  rememberedVersion(workflow: string): FoundVersion | undefined;
  /** Settles every pending append and request, then closes every connection. */
  close(): Promise<void>;
}

export interface StoreOptions {
  readonly url: string;
  /** The installation's key, 32 bytes; the keys for marks and signatures are derived from it. */
  readonly secretKey: Buffer;
  /** Maximum number of connections, not counting the three for the journal. */
  readonly connections?: number;
  /** How long a statement may take until the database counts as unreachable. Default: 5 s; 15 s within a transaction. */
  readonly answerMs?: number;
  /** The shared time, epoch milliseconds. Absent: the clock of this machine. */
  readonly now?: () => number;
  /** Called when an idle connection breaks. */
  readonly onTrouble?: (error: Error) => void;
}

/** Connects at the first operation. The database must have been migrated: see `migrate`. */
export function openStore(options: StoreOptions): Store {
  const {
    url,
    connections = 10,
    answerMs = 5_000,
    onTrouble = () => undefined,
    now = () => systemClock.now(),
  } = options;
  const WatchedClient = watchedClient();
  const openPool = (max: number): Pool =>
    new Pool({
      connectionString: url,
      application_name: 'baton',
      max,
      connectionTimeoutMillis: Math.min(5_000, answerMs),
      query_timeout: answerMs,
      keepAlive: true,
      Client: WatchedClient,
    }).on('error', onTrouble);
  const pool = openPool(connections);
  // The journal has its own connections, so that it never waits behind long reads.
  const journalPool = openPool(3);
  const writing = new PinnedConnection(journalPool);
  const reading = new PinnedConnection(journalPool);
  const requesting = new PinnedConnection(journalPool);
  const prisma = openPrisma(pool, answerMs);
  const auditKeys = new AuditKeys(options.secretKey);
  const writer = new Writer(writing);
  const requestWriter = new RequestWriter(pool, requesting, auditKeys);
  const versions = new VersionReader(pool);
  const outcomes = new OutcomeReader(reading);
  return {
    prisma,
    pool,
    auditKeys,
    now,
    journal: new PostgresJournal(
      new Reader(reading, auditKeys),
      writer,
      auditKeys,
      new UnmarkedEvents(pool, auditKeys),
    ),
    blobs: new PostgresBlobs(prisma),
    request: (request) => requestWriter.request(request),
    findOutcome: (runId) => outcomes.find(runId),
    offeredRuns: (sharing, offered) => offeredRuns(reading, sharing, offered),
    runsAtWork: (childrenMs) => readRunsAtWork(reading, childrenMs),
    findVersion: (wanted) => versions.find(wanted),
    rememberedVersion: (workflow) => versions.remembered(workflow),
    close: async () => {
      await Promise.all([writer.idle(), requestWriter.idle()]);
      for (const connection of [writing, reading, requesting]) connection.close();
      await prisma.$disconnect();
      await Promise.all([journalPool.end(), pool.end()]);
    },
  };
}
