/** An open store: two connections to the database, and the operations that every run needs. */
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
import { RequestWriter } from './runs/requestRun.ts';
import type { RunOutcome } from './runs/runOutcomes.ts';
import { OutcomeReader } from './runs/runOutcomes.ts';
import type { RequestOutcome, RunRequest } from './runs/runRequest.ts';
import type { RunsAtWork } from './runs/runsAtWork.ts';
import { readRunsAtWork } from './runs/runsAtWork.ts';
import type { VersionFound, VersionWanted } from './workflows/findVersion.ts';
import { VersionReader } from './workflows/findVersion.ts';

export interface Store extends Database {
  readonly journal: Journal;
  readonly blobs: BlobStore;
  /** See `Intake.request`. */
  request(request: RunRequest): Promise<RequestOutcome>;
  /** See `OutcomeReader.find`. */
  findOutcome(runId: string): Promise<RunOutcome | undefined>;
  /** See `readRunsAtWork`. */
  runsAtWork(childrenMs: number): Promise<RunsAtWork>;
  /** See `VersionReader.find`. */
  findVersion(wanted: VersionWanted): Promise<VersionFound | undefined>;
  /** See `VersionReader.remembered`. */
  rememberedVersion(workflow: string): VersionFound | undefined;
  /** Settles what was handed in, then lets go of every connection. */
  close(): Promise<void>;
}

export interface StoreOptions {
  readonly url: string;
  /** The installation's, 32 bytes: events are marked with what follows from it. */
  readonly secretKey: Buffer;
  /** Connections beside the three that are kept for the journal. */
  readonly connections?: number;
  /** After which a database that does not answer counts as away; 5 s, and 15 s within a transaction. */
  readonly answerMs?: number;
  /** The time of day, epoch milliseconds. Absent: that of this machine. */
  readonly now?: () => number;
  /** Called when an idle connection breaks. */
  readonly onTrouble?: (error: Error) => void;
}

/** Connects when it is first asked for something. The database must have been migrated: see `migrate`. */
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
  // However many reads are waiting for a connection, the journal has its own.
  const kept = openPool(3);
  const writing = new PinnedConnection(kept);
  const reading = new PinnedConnection(kept);
  const requesting = new PinnedConnection(kept);
  const prisma = openPrisma(pool, answerMs);
  const auditKeys = new AuditKeys(options.secretKey);
  const writer = new Writer(writing);
  const intake = new RequestWriter(pool, requesting, auditKeys);
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
    request: (request) => intake.request(request),
    findOutcome: (runId) => outcomes.find(runId),
    runsAtWork: (childrenMs) => readRunsAtWork(reading, childrenMs),
    findVersion: (wanted) => versions.find(wanted),
    rememberedVersion: (workflow) => versions.remembered(workflow),
    close: async () => {
      await Promise.all([writer.idle(), intake.idle()]);
      for (const connection of [writing, reading, requesting]) connection.close();
      await prisma.$disconnect();
      await Promise.all([kept.end(), pool.end()]);
    },
  };
}
