import type { Pool } from 'pg';

import type { Database } from '../database/database.ts';
import { asUnavailable } from '../database/databaseError.ts';

/**
 * Whether an entry that bears its mark says that marks under the installation's key began. Rejects with
 * `UnavailableError`.
 */
export async function haveMarksBegun({ pool, auditKeys: keys }: Database): Promise<boolean> {
  const { rows } = await pool
    .query<{ hash: string; mark: string | null }>(
      `select encode(hash, 'hex') as hash, encode(mark, 'hex') as mark from audit_entry
       where action = 'audit.begun' and target = $1 order by seq`,
      [keys.id],
    )
    .catch((error: unknown) => {
      throw asUnavailable(error);
    });
  return rows.some(({ hash, mark }) => keys.isMarked(hash, mark));
}

/** The id of the key whose marks began last, as the database says. Rejects with `UnavailableError`. */
export async function newestMarksKey(client: Pick<Pool, 'query'>): Promise<string | undefined> {
  const { rows } = await client
    .query<{ key: string }>(
      `select target as key from audit_entry where action = 'audit.begun' order by seq desc limit 1`,
    )
    .catch((error: unknown) => {
      throw asUnavailable(error);
    });
  return rows[0]?.key;
}
