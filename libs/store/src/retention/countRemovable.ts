import type { Database } from '../database/database.ts';
import { firstRunId } from '../runs/runId.ts';

const batchMax = 100_000;

/**
 * Counts the runs that ended before one instant, and the records made before another; at most 100,000 of each. Rejects
 * with `UnavailableError`.
 */
export async function countRemovable(
  { prisma }: Database,
  { runsBefore, recordsBefore }: { readonly runsBefore: number; readonly recordsBefore: number },
): Promise<{ readonly runs: number; readonly records: number }> {
  const [found] = await prisma.$queryRaw<{ runs: number; records: number }[]>`
    select (select count(*)::int from (select from run
        where id < ${firstRunId(Math.max(0, runsBefore))}::uuid and ended_at < ${new Date(runsBefore)} limit ${batchMax}) as found) as runs,
      (select count(*)::int from (select from idempotency_key where created_at < ${new Date(recordsBefore)} limit ${batchMax}) as found)
      + (select count(*)::int from (select from firing where instant < ${new Date(recordsBefore)} limit ${batchMax}) as found)
      as records`;
  return found ?? { runs: 0, records: 0 };
}
