import type { Database } from '../database/database.ts';
import { asUnavailable } from '../database/databaseError.ts';

/** Whether an entry that bears its mark says that marks under the installation's key began. Rejects with `UnavailableError`. */
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
