/** Finds out which finished runs may have no seal. */
import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';

/**
 * When the last run of the newest seal ended, epoch milliseconds; 0: it was removed, or there is no seal. Not when the seal
 * was made: after a long time without seals, the first ones are of runs that ended long ago. Rejects with `UnavailableError`.
 */
export async function sealedUntil({ pool }: Database): Promise<number> {
  // Looked up by its id: of a join, Postgres may read all runs.
  const text = `select (select ended_at from run where id = run_id) as until from sealed_run
    where seal = (select number from seal where runs > 0 order by number desc limit 1) order by place desc limit 1`;
  const [last] = await queryRows<{ until: Date | null }>(pool, text);
  return last?.until?.getTime() ?? 0;
}

/** Every id of a run comes before it. */
const newestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export interface UnsealedLook {
  /** The last run of the look before; absent: the newest run is the first. */
  readonly before?: string | undefined;
  readonly most: number;
  /** Epoch milliseconds. */
  readonly endedBefore: number;
}

/**
 * Looks at the next `most` runs, newer ones first. `from`: when the first of them ended that has no seal, if there is one;
 * `next`: the last of them, if there are more. Rejects with `UnavailableError`.
 */
export async function findUnsealed(
  { pool }: Database,
  { before = newestId, most, endedBefore }: UnsealedLook,
): Promise<{ readonly from?: number; readonly next?: string }> {
  const rows = await queryRows<{ last: string | null; count: number; from: Date | null }>(
    pool,
    `select min(id::text) as last, count(*)::int as count,
         min(ended_at) filter (where ended_at < $3 and not exists (select from sealed_run where run_id = id)) as "from"
       from (select id, ended_at from run where id < $1 order by id desc limit $2) as looked`,
    [before, most, new Date(endedBefore)],
  );
  const [{ last, count, from } = { last: null, count: 0, from: null }] = rows;
  return {
    ...(from !== null && { from: from.getTime() }),
    ...(count === most && last !== null && { next: last }),
  };
}
