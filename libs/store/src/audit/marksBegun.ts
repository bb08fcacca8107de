import type { Pool } from 'pg';

import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import type { AuditKeys } from './auditKeys.ts';

interface MarkedEntry {
  readonly target: string;
  readonly hash: string;
  readonly mark: string | null;
}

/**
 * Whether marks under the installation's key have begun, according to a marked entry. Rejects with `UnavailableError`.
 */
export async function haveMarksBegun({ pool, auditKeys: keys }: Database): Promise<boolean> {
  const entries = await readEntries(pool, `action = 'audit.begun' and target = any($1)`, [keys]);
  return entries.some(({ hash, mark }) => keys.isMarked(hash, mark));
}

/**
 * The id of the first of `keys` that replaces the key whose marks began last, according to an entry with the mark of that
 * one of `keys`. Rejects with `UnavailableError`.
 */
export async function findReplacing(pool: Pool, keys: readonly AuditKeys[]): Promise<string | undefined> {
  const newest = `(select max(seq) from audit_entry where action = 'audit.begun')`;
  const where = `action = 'audit.key-replaced' and target = any($1) and seq > ${newest}`;
  const entries = await readEntries(pool, where, keys);
  return keys.find((key) => entries.some(({ target, hash, mark }) => target === key.id && key.isMarked(hash, mark)))
    ?.id;
}

async function readEntries(pool: Pool, where: string, targets: readonly AuditKeys[]): Promise<readonly MarkedEntry[]> {
  const { rows } = await pool
    .query<MarkedEntry>(
      `select target, encode(hash, 'hex') as hash, encode(mark, 'hex') as mark from audit_entry
       where ${where} order by seq`,
      [targets.map(({ id }) => id)],
    )
    .catch(rethrowUnavailable);
  return rows;
}

/** The id of the key whose marks began last, from an entry that is not verified. Rejects with `UnavailableError`. */
export async function newestMarksKey(client: Pick<Pool, 'query'>): Promise<string | undefined> {
  const { rows } = await client
    .query<{ key: string }>(
      `select target as key from audit_entry where action = 'audit.begun' order by seq desc limit 1`,
    )
    .catch(rethrowUnavailable);
  return rows[0]?.key;
}
