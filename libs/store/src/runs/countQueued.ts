import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { active } from './stuckRuns.ts';

/**
 * Counts the runs that wait for a worker, without those that must begin later; `most` if there are more. Rejects with
 * `UnavailableError`.
 */
export async function countQueued({ pool }: Database, most: number): Promise<number> {
  const text = `select count(*)::int as runs from
    (select from run where ${active} and status = 'queued' and wake_at is null limit $1) as waiting`;
  const { rows } = await pool.query<{ runs: number }>(text, [most]).catch(rethrowUnavailable);
  return rows[0]?.runs ?? 0;
}
