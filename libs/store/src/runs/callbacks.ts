/** Stores the delivery state of callbacks at the end of runs. A callback is created with its run: see `RunRequest`. */
import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';

export interface Callback {
  readonly runId: string;
  readonly url: string;
  /** Name of the secret that signs. */
  readonly secret: string;
  readonly workflow: string;
  /** Null: the run's workflow was given inline. */
  readonly version: number | null;
  /** Number of attempts, including this one. */
  readonly attempts: number;
}

export interface TakeCallbacksOptions {
  readonly nowMs: number;
  readonly limit: number;
  /** No other process takes the same callbacks within this time. */
  readonly holdMs: number;
}

/** Takes the callbacks of ended runs that are due, for delivery. Rejects with `UnavailableError`. */
export async function takeCallbacks({ pool }: Database, options: TakeCallbacksOptions): Promise<readonly Callback[]> {
  const { nowMs, limit, holdMs } = options;
  const { rows } = await pool
    .query<Callback>(
      `update callback set attempts = attempts + 1, next_at = $2
       from (select callback.run_id, run.workflow, run.version from callback join run on run.id = callback.run_id
         where callback.status = 'pending' and ended_at is not null and (next_at is null or next_at <= $1)
         order by callback.run_id limit $3 for update of callback skip locked) as due
       where callback.run_id = due.run_id
       returning callback.run_id as "runId", url, secret, due.workflow, due.version, attempts`,
      [new Date(nowMs), new Date(nowMs + holdMs), limit],
    )
    .catch(rethrowUnavailable);
  return rows;
}

export type CallbackEnd =
  | { readonly status: 'delivered' }
  | { readonly status: 'given-up'; readonly error: string }
  /** Deliver again at `nextAt`. */
  | { readonly status: 'pending'; readonly error: string; readonly nextAt: number };

export async function noteCallback({ prisma }: Database, runId: string, end: CallbackEnd): Promise<void> {
  const { status } = end;
  const lastError = 'error' in end ? end.error.replaceAll('\0', ' ').toWellFormed().slice(0, 500) : null;
  const nextAt = 'nextAt' in end ? new Date(end.nextAt) : null;
  await prisma.callback.updateMany({ where: { runId }, data: { status, lastError, nextAt } });
}
