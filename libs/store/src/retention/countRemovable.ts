import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { firstRunId } from '../database/runId.ts';

const batchMax = 100_000;

/**
 * Counts the runs that ended before one instant, and the records made before another; at most 100,000 of each. Rejects
 * with `UnavailableError`.
 */
export async function countRemovable(
  { pool }: Database,
  { runsBefore, recordsBefore }: { readonly runsBefore: number; readonly recordsBefore: number },
): Promise<{ readonly runs: number; readonly records: number }> {
  const [found] = await queryRows<{ runs: number; records: number }>(pool, text, [
    firstRunId(Math.max(0, runsBefore)),
    new Date(runsBefore),
    new Date(recordsBefore),
    batchMax,
  ]);
  return found ?? { runs: 0, records: 0 };
}

const text = `
    select (select count(*)::int from (select from run
        where id < $1::uuid and ended_at < $2 limit $4) as found) as runs,
      (select count(*)::int from (select from idempotency_key where created_at < $3 limit $4) as found)
      + (select count(*)::int from (select from firing where instant < $3 limit $4) as found)
      as records`;
