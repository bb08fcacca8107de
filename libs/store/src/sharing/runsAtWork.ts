/**
 * Tells which kinds of unfinished runs exist. Every process runs this cheap query every second or two, and the expensive
 * ones only if they may find runs. Each column reads the first entry of an index.
 */
import { rethrowUnavailable } from '../database/databaseError.ts';
import type { PinnedConnection } from '../database/pinnedConnection.ts';

/** True where there may be such runs; false only where there are none. */
export interface RunsAtWork {
  /** Queued or running. */
  readonly hasActive: boolean;
  /** Waiting runs whose time to wake has come. */
  readonly hasDue: boolean;
  readonly hasCancelling: boolean;
  /** Ends of child runs that no parent has taken yet. */
  readonly hasChildEnds: boolean;
  /** Runs that hold a turn, or wait for one. */
  readonly hasTurns: boolean;
}

const text = `select
    exists(select from run where ended_at is null and not is_waiting),
    exists(select from run where wake_at < now()),
    exists(select from run where is_cancelling),
    (select run_id from child_end order by run_id limit 1) is not null,
    (select run_id from turn order by run_id limit 1) is not null`;

/** Rejects with `UnavailableError`. */
export async function readRunsAtWork(connection: PinnedConnection): Promise<RunsAtWork> {
  const { rows } = await connection.query({ name: 'at work', text }).catch(rethrowUnavailable);
  const [hasActive, hasDue, hasCancelling, hasChildEnds, hasTurns] = (rows[0] ?? []).map((one) => one === 't');
  return {
    hasActive: hasActive === true,
    hasDue: hasDue === true,
    hasCancelling: hasCancelling === true,
    hasChildEnds: hasChildEnds === true,
    hasTurns: hasTurns === true,
  };
}
