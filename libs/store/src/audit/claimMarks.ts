/**
 * Every process of an installation marks its writes under one key. The other processes would take the writes of a process
 * with another key for forged, so such a process must not start.
 */
import type { Pool } from 'pg';

import { advisoryLocks } from '../database/advisoryLocks.ts';
import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { inTransaction } from '../database/transaction.ts';
import { AuditKeys } from './auditKeys.ts';
import { beginMarks } from './beginMarks.ts';
import { noteAction } from './entries.ts';
import { findReplacing, newestMarksKey } from './marksBegun.ts';

/** `before`: the installation's key that is being replaced. */
export interface MarkClaim {
  readonly nowMs: number;
  readonly before: Buffer | undefined;
}

/**
 * Begins marks where none have begun, or only under the previous key. Resolves to the id of the key under which the
 * installation marks, if neither it nor the key that replaces it is this process's key or the previous one. Rejects with
 * `UnavailableError`.
 */
export async function claimMarks(database: Database, { nowMs, before }: MarkClaim): Promise<string | undefined> {
  const { pool, auditKeys } = database;
  const own = [auditKeys, ...(before === undefined ? [] : [new AuditKeys(before)])];
  const found = await newestMarksKey(pool);
  const replacing = found === undefined ? undefined : await findReplacing(pool, own);
  const accepted = new Set([undefined, ...own.map(({ id }) => id), ...(replacing === undefined ? [] : [found])]);
  const isOurs = (key: string | undefined): boolean => accepted.has(key);
  if (!isOurs(found)) return found;
  if (found !== undefined && found !== auditKeys.id && replacing !== auditKeys.id) await noteReplacing(database);
  if (await beginMarks(database, nowMs, isOurs)) return undefined;
  const key = (await newestMarksKey(pool)) ?? (await keyBegunMeanwhile(pool));
  return isOurs(key) ? undefined : key;
}

/** From now on the new key alone is enough. `verify` checks what the mark of this entry is the mark of. */
const noteReplacing = (database: Database): Promise<void> =>
  database.prisma.$transaction((transaction) =>
    noteAction(transaction, database, { by: 'baton', action: 'audit.key-replaced', target: database.auditKeys.id }),
  );

/** Waits for the process that is beginning marks now, and returns the id of its key. */
const keyBegunMeanwhile = (pool: Pool): Promise<string | undefined> =>
  inTransaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [advisoryLocks.beginningMarks]).catch(rethrowUnavailable);
    return newestMarksKey(client);
  });
