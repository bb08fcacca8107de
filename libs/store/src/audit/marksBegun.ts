import type { Pool } from 'pg';

import type { Database } from '../database/database.ts';
import { asUnavailable } from '../database/databaseError.ts';

/**
 * Whether marks under the installation's key have begun, according to a marked entry. Rejects with `UnavailableError`.
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

/** The id of the key whose marks began last, from an entry that is not verified. Rejects with `UnavailableError`. */
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
