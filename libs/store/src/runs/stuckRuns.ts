/** Finds runs that should continue and do not, for the reconciler. A run may be listed twice, or while healthy. */
import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { inTransaction } from '../database/transaction.ts';
import { walkInOrder } from '../database/walkInOrder.ts';

export interface StuckRun {
  readonly runId: string;
  readonly priority: number;
  readonly worker: string | undefined;
}

/** Selects the turn of a run that waits for it; the run that ends its turn rings for this one. */
const inLine = 'select from turn where turn.run_id = run.id and not turn.is_admitted';

/** Neither ended nor waiting, in the words of the partial index on such runs. */
export const active = 'ended_at is null and not is_waiting';

export interface StuckRunsLimit {
  /** How long the state may have lasted unnoticed. */
  readonly forMs: number;
  readonly limit: number;
}

/**
 * Runs that have been queued or due for `forMs` and do not wait for their turn: their bell was lost, or the queue is
 * behind. The run that has waited longest comes first.
 */
export async function dueRuns({ pool }: Database, { forMs, limit }: StuckRunsLimit): Promise<readonly StuckRun[]> {
  return inTransaction(pool, async (client) => {
    await walkInOrder(client, { canMerge: true });
    const question = { name: 'due-runs', text: dueSql, values: [forMs, limit] };
    const { rows } = await client.query<StuckRow>(question).catch(rethrowUnavailable);
    return rows.map((row) => toStuckRun(row));
  });
}

const dueSql = `
  (select id, priority, worker, created_at as since from run
    where ${active} and status = 'queued' and wake_at is null and created_at < now() - $1 * interval '1 ms'
      and not exists (${inLine})
    order by id limit $2)
  union all
  (select id, priority, worker, wake_at as since from run
    where wake_at < now() - $1 * interval '1 ms' and not exists (${inLine})
    order by wake_at limit $2)
  order by since limit $2`;

/** A condition on the worker of a run: silent for so many milliseconds (an SQL expression), or never heard of. */
export const isSilent = (forMs: string): string =>
  `(worker.id is null or heartbeat_at < now() - ${forMs} * interval '1 ms')`;

/** True while a worker may have lost its runs: it fell silent in the last five minutes. */
export const someFellSilent = (forMs: string): string =>
  `exists(select from worker
    where heartbeat_at < now() - ${forMs} * interval '1 ms' and heartbeat_at > now() - interval '5 minutes')`;

/**
 * Runs marked as running on a worker that has no heartbeat younger than `forMs`. That reads all active runs. So unless
 * `isThorough`, it looks only while a worker has been silent for less than five minutes.
 */
export function silentRuns(
  database: Database,
  { forMs, limit, isThorough = false }: StuckRunsLimit & { readonly isThorough?: boolean },
): Promise<readonly StuckRun[]> {
  return find(
    database,
    'silent-runs',
    [forMs, limit, isThorough],
    `select run.id, priority, worker from run left join worker on worker.id = run.worker
    where ($3 or ${someFellSilent('$1')}) and ${active} and status = 'running' and ${isSilent('$1')}
    order by run.id limit $2`,
  );
}

/**
 * Runs marked as running on this worker that it does not drive: the worker gave the claim up before it became durable.
 */
export function unknownRuns(
  database: Database,
  worker: string,
  { known, limit }: { readonly known: readonly string[]; readonly limit: number },
): Promise<readonly StuckRun[]> {
  return find(
    database,
    'unknown-runs',
    [worker, known, limit],
    `select id, priority, worker from run
    where ${active} and status = 'running' and worker = $1 and id <> all($2::uuid[]) order by id limit $3`,
  );
}

/** Unfinished runs with a requested cancel. Their journals say since when. */
export function cancellingRuns(database: Database, limit: number): Promise<readonly StuckRun[]> {
  return find(
    database,
    'cancelling-runs',
    [limit],
    `select id, priority, worker from run where is_cancelling order by id limit $1`,
  );
}

/**
 * Ended runs whose parent still waits for them: it may have missed the end. `sinceMs`: only runs that ended within this
 * time; absent: all of them, which reads every waiting run.
 */
export function unnotifiedChildren(
  database: Database,
  { forMs, sinceMs, limit }: StuckRunsLimit & { readonly sinceMs?: number | undefined },
): Promise<readonly StuckRun[]> {
  return find(
    database,
    // Planned each time: the best plan depends on `sinceMs`.
    undefined,
    [forMs, limit, sinceMs ?? null],
    `select child.id, child.priority, child.worker from run parent join run child on child.parent_run_id = parent.id
    where parent.ended_at is null and parent.is_waiting and child.ended_at < now() - $1 * interval '1 ms'
      and child.ended_at > coalesce(now() - $3 * interval '1 ms', '-infinity')
    order by child.id limit $2`,
  );
}

/**
 * Postgres plans a statement with a name once for each connection: every worker asks again and again, and planning costs
 * more than looking.
 */
async function find(
  { pool }: Database,
  name: string | undefined,
  values: readonly unknown[],
  text: string,
): Promise<readonly StuckRun[]> {
  const { rows } = await pool
    .query<StuckRow>({ ...(name === undefined ? {} : { name }), text, values: [...values] })
    .catch(rethrowUnavailable);
  return rows.map((row) => toStuckRun(row));
}

interface StuckRow {
  readonly id: string;
  readonly priority: number;
  readonly worker: string | null;
}

const toStuckRun = ({ id, priority, worker }: StuckRow): StuckRun => ({
  runId: id,
  priority,
  worker: worker ?? undefined,
});
