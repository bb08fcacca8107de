import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';

/** Counts the unfinished runs by the key that requested them. Rejects with `UnavailableError`. */
export async function countUnderWay({ pool }: Database): Promise<ReadonlyMap<string, number>> {
  const text = 'select "by", count(*)::int as runs from run where ended_at is null group by "by"';
  const { rows } = await pool.query<{ by: string; runs: number }>(text).catch(rethrowUnavailable);
  return new Map(rows.map(({ by, runs }) => [by, runs]));
}
