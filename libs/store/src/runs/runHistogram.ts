/** Counts runs by status over time. */
import type { RunStatus } from '@baton/engine';

import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { firstRunId } from '../database/runId.ts';
import { type RunFilter, allConditions, isFindable } from './runConditions.ts';

export interface RunBucket {
  /** First instant of the bucket, epoch milliseconds. */
  readonly at: number;
  readonly counts: Readonly<Partial<Record<RunStatus, number>>>;
  /** The bucket has more runs than were counted. */
  readonly isCut: boolean;
}

/** Runs counted in one bucket at most. */
const countedMax = 5_000;

export interface HistogramSpan {
  /** Epoch milliseconds. */
  readonly from: number;
  readonly bucketMs: number;
  readonly buckets: number;
}

/**
 * Every bucket of the span, in order. `from` and `to` of the filter also apply. Rejects with `UnavailableError`.
 */
export async function runHistogram(
  { pool }: Database,
  filter: RunFilter,
  { from, bucketMs, buckets }: HistogramSpan,
): Promise<readonly RunBucket[]> {
  const starts = Array.from({ length: buckets }, (_, n) => Math.round(from + n * bucketMs));
  const empty = new Map(starts.map((at) => [at, new Map<RunStatus, number>()]));
  if (isFindable(filter)) {
    const { conditions, bind, values } = await allConditions(pool, filter);
    const ends = [...starts.slice(1), Math.round(from + buckets * bucketMs)];
    type Row = { at: string; status: RunStatus; runs: number };
    const { rows } = await pool
      .query<Row>(
        `select at, status, count(*)::int as runs
         from unnest(${bind(starts)}::bigint[], ${bind(starts.map(firstRunId))}::uuid[], ${bind(ends.map(firstRunId))}::uuid[])
           as bucket (at, first, next)
         cross join lateral (
           select status from run where ${['id >= bucket.first', 'id < bucket.next', ...conditions].join(' and ')}
           limit ${countedMax}) as counted
         group by at, status`,
        [...values],
      )
      .catch(rethrowUnavailable);
    for (const { at, status, runs } of rows) empty.get(Number(at))?.set(status, runs);
  }
  return [...empty].map(([at, counts]) => ({
    at,
    counts: Object.fromEntries(counts),
    isCut: [...counts.values()].reduce((sum, count) => sum + count, 0) >= countedMax,
  }));
}

/** Counts the runs that match the filter; `most` if there are more. Rejects with `UnavailableError`. */
export async function countRuns({ pool }: Database, filter: RunFilter, most: number): Promise<number> {
  if (!isFindable(filter)) return 0;
  const { conditions, bind, values } = await allConditions(pool, filter);
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  const text = `select count(*)::int as runs from (select from run ${where} limit ${bind(most)}) as counted`;
  const { rows } = await pool.query<{ runs: number }>(text, [...values]).catch(rethrowUnavailable);
  return rows[0]?.runs ?? 0;
}
