/** The columns of a run that lists read; a column is undefined where the run's status does not have it. */
import type { Failure } from '../failure.ts';
import { type Run, type RunStatus, isEnded } from './run.ts';
import type { Value } from './value.ts';

export interface RunRow {
  readonly status: RunStatus;
  readonly worker: string | undefined;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly wakeAt: number | undefined;
  readonly outputs: Value | undefined;
  readonly failure: Failure | undefined;
  /** A cancel was requested, and the run has not ended yet. */
  readonly isCancelling: boolean;
  /** Number of open questions of the run. */
  readonly questions: number;
  /** What models cost, child runs included. */
  readonly tokens: number;
  readonly usd: number;
}

export function rowOf(run: Run): RunRow {
  const { status, questions, spent } = run;
  const { worker, startedAt } = executionOf(run);
  const base = { status, worker, startedAt, questions, tokens: spent.tokens, usd: spent.usd };
  if (!isEnded(run)) {
    const isCancelling = run.cancel !== undefined;
    return { ...base, wakeAt: wakeAtOf(run), isCancelling, endedAt: undefined, outputs: undefined, failure: undefined };
  }
  const outputs = run.status === 'succeeded' ? run.outputs : undefined;
  const failure = run.status === 'succeeded' ? undefined : run.failure;
  return { ...base, wakeAt: undefined, isCancelling: false, endedAt: run.endedAt, outputs, failure };
}

/** The row to write; undefined where it has not changed, as for most appends. */
export function changedRow(before: Run | undefined, after: Run): RunRow | undefined {
  const isSame =
    before !== undefined &&
    before.status === after.status &&
    before.questions === after.questions &&
    before.spent.tokens === after.spent.tokens &&
    before.spent.usd === after.spent.usd &&
    (before === after || isSameOpen(before, after));
  return isSame ? undefined : rowOf(after);
}

/** Compares the other columns of two runs with the same status. An ended run never changes. */
const isSameOpen = (before: Run, after: Run): boolean =>
  isEnded(before) ||
  isEnded(after) ||
  (before.cancel === after.cancel &&
    executionOf(before).worker === executionOf(after).worker &&
    wakeAtOf(before) === wakeAtOf(after));

const neverClaimed = { worker: undefined, startedAt: undefined } as const;

function executionOf(run: Run): { readonly worker: string | undefined; readonly startedAt: number | undefined } {
  if (isEnded(run)) return run.execution ?? neverClaimed;
  return run.status === 'queued' ? neverClaimed : run;
}

function wakeAtOf(run: Run): number | undefined {
  if (run.status === 'queued') return run.notBefore;
  return run.status === 'waiting' ? run.wakeAt : undefined;
}
