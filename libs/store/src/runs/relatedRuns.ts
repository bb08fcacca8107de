/** The runs that a run started, and those that went on from it. */
import type { ChildIds, Parent } from '@baton/engine';

import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { isRunId } from '../database/runId.ts';

/** The last child run that each step of the run has requested, by path. Rejects with `UnavailableError`. */
export async function childIds({ pool }: Pick<Database, 'pool'>, runId: string): Promise<ChildIds> {
  if (!isRunId(runId)) return new Map();
  const rows = await queryRows<{ id: string; path: string }>(
    pool,
    'select id, parent_path as path from run where parent_run_id = $1 order by parent_attempt',
    [runId],
  );
  return new Map(rows.map(({ path, id }) => [path, id]));
}

/**
 * The newest retry of each of these runs that was retried; `olderThan`: of those that were made before that run. Rejects
 * with `UnavailableError`.
 */
export async function newestRetries(
  { pool }: { readonly pool: Pick<Database['pool'], 'query'> },
  runIds: readonly string[],
  olderThan?: string,
): Promise<ReadonlyMap<string, string>> {
  if (runIds.length === 0) return new Map();
  const rows = await queryRows<{ of: string; id: string }>(
    pool,
    `select distinct on (rerun_of) rerun_of as of, id from run
     where rerun_of = any($1::uuid[]) and trigger_kind = 'retry' and ($2::uuid is null or id < $2)
     order by rerun_of, id desc`,
    [runIds, olderThan ?? null],
  );
  return new Map(rows.map(({ of, id }) => [of, id]));
}

/** Ids of the runs that went on from the run, newest first. Rejects with `UnavailableError`. */
export async function rerunsOf({ pool }: Pick<Database, 'pool'>, runId: string): Promise<readonly string[]> {
  if (!isRunId(runId)) return [];
  const rows = await queryRows<{ id: string }>(
    pool,
    `select id from run where rerun_of = $1 and trigger_kind <> 'undo' order by id desc`,
    [runId],
  );
  return rows.map(({ id }) => id);
}

/** Ids of the runs that undo the run, newest first. Rejects with `UnavailableError`. */
export async function undosOf(
  { pool }: { readonly pool: Pick<Database['pool'], 'query'> },
  runId: string,
): Promise<readonly string[]> {
  if (!isRunId(runId)) return [];
  const text = `select id from run where rerun_of = $1 and trigger_kind = 'undo' order by id desc`;
  return (await queryRows<{ id: string }>(pool, text, [runId])).map(({ id }) => id);
}

/** The parents of those of the runs that have one. Rejects with `UnavailableError`. */
export async function parentsOf(
  { pool }: { readonly pool: Pick<Database['pool'], 'query'> },
  runIds: readonly string[],
): Promise<ReadonlyMap<string, Parent>> {
  const rows = await queryRows<Parent & { readonly id: string }>(
    pool,
    `select id, parent_run_id as "runId", parent_path as path, parent_attempt as attempt
     from run where id = any($1::uuid[]) and parent_run_id is not null`,
    [runIds],
  );
  return new Map(rows.map(({ id, ...parent }) => [id, parent]));
}
