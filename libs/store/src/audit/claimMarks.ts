/**
 * Every process of an installation marks its writes under one key. The other processes would take the writes of a process
 * with another key for forged, so such a process must not start.
 */
import type { Pool } from 'pg';

import type { Database } from '../database/database.ts';
import { asUnavailable } from '../database/databaseError.ts';
import { inTransaction } from '../database/transaction.ts';
import { AuditKeys } from './auditKeys.ts';
import { beginLock, beginMarks } from './beginMarks.ts';
import { newestMarksKey } from './marksBegun.ts';

/** `before`: the installation's key that is being replaced. */
export interface MarkClaim {
  readonly nowMs: number;
  readonly before: Buffer | undefined;
}

/**
 * Begins marks where none have begun, or only under the previous key. Resolves to the id of the key under which the
 * installation marks, if it is neither this process's key nor the previous one. Rejects with `UnavailableError`.
 */
export async function claimMarks(database: Database, { nowMs, before }: MarkClaim): Promise<string | undefined> {
  const { pool, auditKeys } = database;
  const own = new Set([auditKeys.id, ...(before === undefined ? [] : [new AuditKeys(before).id])]);
  const isOurs = (key: string | undefined): boolean => key === undefined || own.has(key);
  const found = await newestMarksKey(pool);
  if (!isOurs(found)) return found;
  if (await beginMarks(database, nowMs, isOurs)) return undefined;
  const key = (await newestMarksKey(pool)) ?? (await keyBegunMeanwhile(pool));
  return isOurs(key) ? undefined : key;
}

/** Waits for the process that is beginning marks now, and returns the id of its key. */
const keyBegunMeanwhile = (pool: Pool): Promise<string | undefined> =>
  inTransaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [beginLock]).catch((error: unknown) => {
      throw asUnavailable(error);
    });
    return newestMarksKey(client);
  });
