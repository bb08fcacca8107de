/** Finds runs that should continue and do not, for the reconciler. A run may be listed twice, or while healthy. */
import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { noRun } from '../database/noRun.ts';
import { inTransaction } from '../database/transaction.ts';
import { walkInOrder } from '../database/walkInOrder.ts';
import { isInLine } from './turns.ts';

export interface StuckRun {
  readonly runId: string;
  readonly priority: number;
  readonly worker: string | undefined;
}

/** Neither ended nor waiting, in the words of the partial index on such runs. */
export const active = 'ended_at is null and not is_waiting';

export interface StuckRunsLimit {
  /** How long the state may have lasted unnoticed. */
  readonly forMs: number;
  readonly limit: number;
  /** Ids of runs to leave out. */
  readonly except?: readonly string[] | undefined;
}

/** How far a look for due runs has got, in each of its two orders. */
export interface DuePlace {
  readonly queued: string;
  readonly woken: { readonly atMs: number; readonly runId: string };
}

const fromStart: DuePlace = { queued: noRun, woken: { atMs: 0, runId: noRun } };

export interface DueRuns {
  readonly runs: readonly StuckRun[];
  /** `after` of the next look; absent: there are no more. */
  readonly next?: DuePlace;
}

/**
 * Runs that have been queued or due for `forMs` and do not wait for their turn: their bell was lost, or the queue is
 * behind. The run that has waited longest comes first.
 */
export async function dueRuns(
  { pool }: Database,
  { forMs, limit, except = [], after = fromStart }: StuckRunsLimit & { readonly after?: DuePlace | undefined },
): Promise<DueRuns> {
  const { queued, woken } = after;
  const values = [forMs, limit, except, queued, new Date(woken.atMs), woken.runId];
  const rows = await inTransaction(pool, async (client) => {
    await walkInOrder(client, { canMerge: true });
    const question = { name: 'due-runs', text: dueSql, values };
    return (await client.query<DueRow>(question).catch(rethrowUnavailable)).rows;
  });
  const runs = rows.map(toStuckRun);
  if (rows.length < limit) return { runs };
  const [lastQueued, lastWoken] = [rows.findLast((row) => !row.is_woken), rows.findLast((row) => row.is_woken)];
  return {
    runs,
    next: {
      queued: lastQueued?.id ?? queued,
      woken: lastWoken === undefined ? woken : { atMs: lastWoken.since.getTime(), runId: lastWoken.id },
    },
  };
}

const dueSql = `
  (select id, priority, worker, created_at as since, false as is_woken from run
    where ${active} and status = 'queued' and wake_at is null and created_at < now() - $1 * interval '1 ms'
      and id > $4 and id <> all($3::uuid[]) and not ${isInLine}
    order by id limit $2)
  union all
  (select id, priority, worker, wake_at as since, true as is_woken from run
    where wake_at < now() - $1 * interval '1 ms' and wake_at >= $5 and (wake_at, id) > ($5, $6::uuid)
      and id <> all($3::uuid[]) and not ${isInLine}
    order by wake_at, id limit $2)
  order by since limit $2`;

interface DueRow extends StuckRow {
  readonly since: Date;
  readonly is_woken: boolean;
}

/** A condition on the worker of a run: silent for so many milliseconds (an SQL expression), or never heard of. */
export const isSilent = (forMs: string): string =>
  `(worker.id is null or heartbeat_at < now() - ${forMs} * interval '1 ms')`;

/** True while a worker may have lost its runs: it fell silent in the last five minutes. */
export const someFellSilent = (forMs: string): string =>
  `exists(select from worker
    where heartbeat_at < now() - ${forMs} * interval '1 ms' and heartbeat_at > now() - interval '5 minutes')`;

/**
 * Runs marked as running on a worker that has no heartbeat younger than `forMs`. That reads all active runs. So unless
 * `isThorough`, it looks only while a worker has been silent for less than five minutes. `after`: only larger ids.
 */
export function silentRuns(
  database: Database,
  {
    forMs,
    limit,
    except = [],
    isThorough = false,
    after = noRun,
  }: StuckRunsLimit & { readonly isThorough?: boolean; readonly after?: string | undefined },
): Promise<readonly StuckRun[]> {
  return find(
    database,
    'silent-runs',
    [forMs, limit, isThorough, except, after],
    `select run.id, priority, worker from run left join worker on worker.id = run.worker
    where ($3 or ${someFellSilent('$1')}) and ${active} and status = 'running' and ${isSilent('$1')}
      and run.id > $5 and run.id <> all($4::uuid[])
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

/** Unfinished runs with a requested cancel, after a run. Their journals say since when. */
export function cancellingRuns(
  database: Database,
  { limit, after = noRun }: { readonly limit: number; readonly after?: string | undefined },
): Promise<readonly StuckRun[]> {
  return find(
    database,
    'cancelling-runs',
    [limit, after],
    `select id, priority, worker from run where is_cancelling and id > $2 order by id limit $1`,
  );
}

/** Those of these runs that a cancel was requested for, and that have not ended. */
export async function cancellingAmong(database: Database, runIds: readonly string[]): Promise<readonly string[]> {
  if (runIds.length === 0) return [];
  const text = 'select id, priority, worker from run where is_cancelling and id = any($1::uuid[])';
  const found = await find(database, 'cancelling-among', [runIds], text);
  return found.map(({ runId }) => runId);
}

/**
 * Postgres plans a statement with a name once for each connection: every worker asks again and again, and planning costs
 * more than looking.
 */
async function find(
  { pool }: Database,
  name: string,
  values: readonly unknown[],
  text: string,
): Promise<readonly StuckRun[]> {
  const { rows } = await pool.query<StuckRow>({ name, text, values: [...values] }).catch(rethrowUnavailable);
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
