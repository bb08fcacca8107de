/**
 * Removes records that only prevent duplicates or report progress: idempotency keys (also of webhook deliveries),
 * decided firings of schedules, removed schedules, callbacks that are delivered or given up.
 */
import { noteAction } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';
import { firstRunId } from '../database/runId.ts';

export interface RemovedRecords {
  readonly keys: number;
  readonly firings: number;
  readonly callbacks: number;
  /** `after` of the next call; absent: no record is left to remove. */
  readonly next?: Date;
}

export interface RemoveRecords {
  /** Records made before this instant. Epoch milliseconds. */
  readonly before: number;
  /** Only idempotency keys made after this instant. */
  readonly after?: Date | undefined;
}

const batchMax = 2_000;

/** Removes one batch, oldest first. Keeps the keys of unfinished runs. Rejects with `UnavailableError`. */
export async function removeRecords(
  { prisma, auditKeys, now }: Database,
  order: RemoveRecords,
): Promise<RemovedRecords> {
  const before = new Date(order.before);
  const after = order.after ?? new Date(0);
  return prisma.$transaction(async (transaction) => {
    const looked = await transaction.$queryRaw<{ last: Date | null; count: number }[]>`
      select max(created_at) as last, count(*)::int as count from (select created_at from idempotency_key
        where created_at > ${after} and created_at < ${before} order by created_at limit ${batchMax}) as looked`;
    const { last, count } = { last: null, count: 0, ...looked[0] };
    const keys = await transaction.$executeRaw`
      delete from idempotency_key where created_at > ${after} and created_at <= ${last ?? after}
        and not exists (select from run where run.id = run_id and ended_at is null)`;
    const firings = await transaction.$executeRaw`
      delete from firing where ctid = any(array(select ctid from firing
        where instant < ${before} and outcome <> 'queued' order by instant limit ${batchMax}))`;
    // A few in each deployment; what remains of their firings is removed with the others.
    await transaction.schedule.deleteMany({ where: { removedAt: { lt: before } } });
    const callbacks = await transaction.$executeRaw`
      delete from callback where ctid = any(array(select ctid from callback
        where run_id < ${firstRunId(order.before)}::uuid and status <> 'pending' order by run_id limit ${batchMax}))`;
    const removed = { keys, firings, callbacks };
    if (keys + firings + callbacks > 0) {
      const detail = { before: before.toISOString(), ...removed };
      await noteAction(
        transaction,
        { auditKeys, now },
        { by: 'retention', action: 'records.removed', target: 'records', detail },
      );
    }
    if (count < batchMax && firings < batchMax && callbacks < batchMax) return removed;
    return { ...removed, next: last ?? after };
  });
}
