/**
 * Every process of an installation marks its writes under one key. A process does not start where the other processes
 * would take its writes for forged, nor where nothing says since when there are marks.
 */
import type { Pool } from 'pg';

import { AuditKeys } from '../database/auditKeys.ts';
import { batonName } from '../database/batonName.ts';
import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { firstRunId } from '../database/runId.ts';
import { type MarksBeginning, beginMarks } from './beginMarks.ts';
import { type BegunMarks, newestMarksKey, readBegun } from './marksBegun.ts';
import { busyMessage, MarksError, otherKeyMessage, replacedMessage, unmarkedMessage } from './marksError.ts';

/** Remembers since when there are marks, where the owner of the database cannot change it. */
export interface MarksMemory {
  /** For messages. */
  readonly file: string;
  read(): Promise<RememberedMarks | undefined>;
  write(marks: RememberedMarks): Promise<void>;
}

export interface RememberedMarks {
  /** Hash of the entry `audit.begun`. */
  readonly entryHash: string;
  /** RFC 3339. */
  readonly at: string;
}

export interface MarkClaim {
  /** The installation's key that is being replaced. */
  readonly before?: Buffer | undefined;
  readonly memory?: MarksMemory | undefined;
}

/**
 * Begins marks in an empty database, and where the key of this process replaces another one. Resolves to since when there
 * are marks. Rejects with `MarksError` where the process must not start, and with `UnavailableError`.
 */
export async function claimMarks(database: Database, { before, memory }: MarkClaim = {}): Promise<BegunMarks> {
  const { pool, auditKeys } = database;
  const remembered = await memory?.read();
  const checkMemory = (begun: BegunMarks | undefined): void => {
    if (memory !== undefined && remembered !== undefined && !isContinued(begun, remembered))
      throw new MarksError(replacedMessage(memory.file, remembered.at, begun === undefined));
  };
  for (;;) {
    const newestKey = await newestMarksKey(pool);
    const begun = newestKey === auditKeys.id ? await readBegun(pool, auditKeys) : undefined;
    if (begun !== undefined) {
      checkMemory(begun);
      await memory?.write(rememberedOf(begun));
      return begun;
    }
    const beginning = await mayBegin(database, newestKey, before && new AuditKeys(before));
    if (beginning === undefined) continue;
    checkMemory(typeof beginning.existing === 'object' ? beginning.existing.begun : undefined);
    await beginMarks(database, beginning);
  }
}

export interface MarksByHand {
  /** As the audit writes it. */
  readonly by: string;
  readonly memory: MarksMemory;
  /** Called before marks begin, with what the operator answers for. Rejects where they do not. */
  readonly agree: (existing: { readonly runs: number; readonly entries: number }) => Promise<void>;
}

/**
 * Begins marks in a database that has none under the key of this process: what it holds is taken as it stands. Resolves to
 * since when there are marks; `isNew`: since now. From then on `memory` names this database. Rejects with `MarksError`
 * while a process works on the database, with the errors of `agree`, and with `UnavailableError`.
 */
export async function beginMarksByHand(
  database: Database,
  { by, memory, agree }: MarksByHand,
): Promise<BegunMarks & { readonly isNew: boolean }> {
  const { pool, auditKeys } = database;
  for (let isNew = false; ; isNew = true) {
    const newestKey = await newestMarksKey(pool);
    const begun = newestKey === auditKeys.id ? await readBegun(pool, auditKeys) : undefined;
    if (begun === undefined) {
      const { processes, ...existing } = await readExisting(pool);
      if (processes > 0) throw new MarksError(busyMessage);
      await agree(existing);
      await beginMarks(database, { by, existing: 'as it stands', newestKey });
    } else {
      await memory.write(rememberedOf(begun));
      return { ...begun, isNew };
    }
  }
}

async function readExisting(pool: Pool): Promise<{ processes: number; runs: number; entries: number }> {
  const [found] = await queryRows<{ processes: number; runs: number; entries: number }>(
    pool,
    `select (select count(*)::int from pg_stat_activity
         where datname = current_database() and application_name = $1 and pid <> pg_backend_pid()) as processes,
       (select count(*)::int from run) as runs, (select count(*)::int from audit_entry) as entries`,
    [batonName],
  );
  return found ?? { processes: 0, runs: 0, entries: 0 };
}

const rememberedOf = ({ entryHash, at }: BegunMarks): RememberedMarks => ({
  entryHash,
  at: new Date(at).toISOString(),
});

const isContinued = (begun: BegunMarks | undefined, { entryHash }: RememberedMarks): boolean =>
  [begun?.entryHash, ...(begun?.before ?? []).map((key) => key.entryHash)].includes(entryHash);

/**
 * Undefined where another process has begun marks since `newestKey` was read. Rejects with `MarksError` where marks do not
 * begin by themselves.
 */
async function mayBegin(
  { pool, auditKeys }: Database,
  newestKey: string | undefined,
  before: AuditKeys | undefined,
): Promise<MarksBeginning | undefined> {
  const by = 'baton';
  if (newestKey === undefined && !(await hasRecords(pool))) return { by, existing: 'none', newestKey };
  // The record may be the very entry with which they began.
  if (newestKey === undefined && (await newestMarksKey(pool)) !== undefined) return undefined;
  const begun = newestKey !== undefined && newestKey === before?.id ? await readBegun(pool, before) : undefined;
  if (before !== undefined && begun !== undefined) return { by, existing: { keys: before, begun }, newestKey };
  if (newestKey !== undefined && newestKey !== auditKeys.id && newestKey !== before?.id)
    throw new MarksError(otherKeyMessage(auditKeys.id, newestKey));
  throw new MarksError(unmarkedMessage(newestKey !== undefined || (await hasLateRecords(pool))));
}

const tables = ['audit_entry', 'run', 'run_event', 'seal', 'workflow_version', 'api_key', 'person', 'secret'];

async function hasRecords(pool: Pool): Promise<boolean> {
  const text = `select ${tables.map((table) => `exists (select from ${table})`).join(' or ')} as "hasRecords"`;
  return (await queryRows<{ hasRecords: boolean }>(pool, text))[0]?.hasRecords === true;
}

/** Whether there are records from after the day when the database got room for marks. */
async function hasLateRecords(pool: Pool): Promise<boolean> {
  const [migration] = await queryRows<{ at: Date }>(
    pool,
    `select finished_at as at from _prisma_migrations where migration_name like '%_audit_marks'`,
  );
  const atMs = migration?.at.getTime() ?? 0;
  const text = `select exists (select from run where id > $1) or exists (select from audit_entry where at > $2) as "hasLate"`;
  return (await queryRows<{ hasLate: boolean }>(pool, text, [firstRunId(atMs), atMs]))[0]?.hasLate === true;
}
