/** Reads failures of many runs, for what compares them. */
import type { Failure } from '@baton/engine';

import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { type RunFilter, allConditions, isFindable, retried } from './runConditions.ts';

export interface FailedRun {
  readonly id: string;
  readonly workflow: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly parentRunId: string | undefined;
  readonly failure: Failure;
  /** A retry goes on from it. */
  readonly isRetried: boolean;
  /** It was to undo what another run wrote. */
  readonly isUndo: boolean;
}

interface Row {
  readonly id: string;
  readonly workflow: string;
  readonly created_at: Date;
  readonly parent_run_id: string | null;
  /** Postgres cannot read every text in it: see `eventText`. */
  readonly failure: string;
  readonly is_retried: boolean;
  readonly is_undo: boolean;
}

/** The newest failed runs that match, at most so many. Rejects with `UnavailableError`. */
export async function failedRuns(
  { pool }: Pick<Database, 'pool'>,
  filter: RunFilter,
  most: number,
): Promise<readonly FailedRun[]> {
  if (!isFindable(filter)) return [];
  const { conditions, bind, values } = await allConditions(pool, { ...filter, statuses: ['failed'] });
  const rows = await queryRows<Row>(
    pool,
    `select id, workflow, created_at, parent_run_id, failure::text as failure,
       ${retried} as is_retried, trigger_kind = 'undo' as is_undo
     from run where ${conditions.join(' and ')} and failure is not null order by id desc limit ${bind(most)}`,
    values,
  );
  return rows.map((row) => ({
    id: row.id,
    workflow: row.workflow,
    createdAt: row.created_at.getTime(),
    parentRunId: row.parent_run_id ?? undefined,
    failure: JSON.parse(row.failure) as Failure,
    isRetried: row.is_retried,
    isUndo: row.is_undo,
  }));
}
