import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { active } from './stuckRuns.ts';

export interface QueueCounts {
  readonly queued: number;
  /** When the oldest queued run was created, epoch milliseconds. */
  readonly oldestAt: number | undefined;
  readonly running: number;
  readonly waiting: number;
  /** Queued runs that must begin later. */
  readonly delayed: number;
}

/** Counts unfinished runs of each kind; `most` if there are more. Rejects with `UnavailableError`. */
export async function queueCounts({ pool }: Database, most: number): Promise<QueueCounts> {
  const counted = (condition: string): string =>
    `(select count(*)::int from (select from run where ${condition} limit $1) as counted)`;
  const queued = `${active} and status = 'queued' and wake_at is null`;
  const text = `select ${counted(queued)} as queued,
    (select created_at from run where ${queued} order by id limit 1) as oldest,
    ${counted(`${active} and status = 'running'`)} as running,
    ${counted(`ended_at is null and is_waiting`)} as waiting,
    ${counted(`${active} and status = 'queued' and wake_at is not null`)} as delayed`;
  type Row = Record<'queued' | 'running' | 'waiting' | 'delayed', number> & { oldest: Date | null };
  const { rows } = await pool.query<Row>(text, [most]).catch(rethrowUnavailable);
  const { oldest, ...counts } = rows[0] ?? { queued: 0, running: 0, waiting: 0, delayed: 0, oldest: null };
  return { ...counts, oldestAt: oldest?.getTime() };
}
