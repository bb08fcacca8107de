/**
 * Every process of an installation marks what it writes under one key. A process with another key would have every run
 * that it touches taken for forged, so it must not start.
 */
import type { Database } from '../database/database.ts';
import { asUnavailable } from '../database/databaseError.ts';
import { AuditKeys } from './auditKeys.ts';
import { beginMarks } from './beginMarks.ts';

/** `before`: the installation's key that is being replaced. */
export interface MarkClaim {
  readonly nowMs: number;
  readonly before: Buffer | undefined;
}

/**
 * Begins marks where none have begun. Resolves to the id of the key that the installation marks with, where that is
 * neither this process' key nor the one before. Rejects with `UnavailableError`.
 */
export async function claimMarks(database: Database, { nowMs, before }: MarkClaim): Promise<string | undefined> {
  const { pool, auditKeys } = database;
  if (await beginMarks(database, nowMs)) return undefined;
  const { rows } = await pool
    .query<{ key: string }>(
      `select target as key from audit_entry where action = 'audit.begun' order by seq desc limit 1`,
    )
    .catch((error: unknown) => {
      throw asUnavailable(error);
    });
  const key = rows[0]?.key;
  const own = [auditKeys.id, ...(before === undefined ? [] : [new AuditKeys(before).id])];
  return key === undefined || own.includes(key) ? undefined : key;
}
