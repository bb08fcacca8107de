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

/** Counts the open questions of at most `most` runs. Rejects with `UnavailableError`. */
export async function countQuestions({ pool }: Database, most: number): Promise<number> {
  const text = `select coalesce(sum(questions), 0)::int as questions from
    (select questions from run where questions > 0 limit $1) as asking`;
  const { rows } = await pool.query<{ questions: number }>(text, [most]).catch(rethrowUnavailable);
  return rows[0]?.questions ?? 0;
}

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

/** Counts the unfinished runs by the key that requested them. Rejects with `UnavailableError`. */
export async function countUnderWay({ pool }: Database): Promise<ReadonlyMap<string, number>> {
  const text = 'select "by", count(*)::int as runs from run where ended_at is null group by "by"';
  const { rows } = await pool.query<{ by: string; runs: number }>(text).catch(rethrowUnavailable);
  return new Map(rows.map(({ by, runs }) => [by, runs]));
}
