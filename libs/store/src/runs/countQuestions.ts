import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';

/** Counts the open questions of at most `most` runs. Rejects with `UnavailableError`. */
export async function countQuestions({ pool }: Database, most: number): Promise<number> {
  const text = `select coalesce(sum(questions), 0)::int as questions from
    (select questions from run where questions > 0 limit $1) as asking`;
  const { rows } = await pool.query<{ questions: number }>(text, [most]).catch(rethrowUnavailable);
  return rows[0]?.questions ?? 0;
}
