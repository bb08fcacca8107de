/** Reads the head of a run (without its steps) for the tree, from the journal or from the API. */
import type { Attempt, Run as RunAnswer, Step } from '@baton/api/client';
import { type Failure, type Run, type RunStatus, type TracedAttempt, type TracedStep, rowOf } from '@baton/engine';
import { isLoop } from '@baton/language';
import { defined } from '@baton/primitives';

import { instantOf } from '../output/time.ts';

/** Instants are epoch milliseconds. */
export interface RunHead {
  readonly id: string;
  readonly workflow: string;
  readonly version: number | undefined;
  readonly status: RunStatus;
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly failure: Failure | undefined;
  /** A cancel was requested, and the run has not ended yet. */
  readonly isCancelling: boolean;
}

export function headOfRun(run: Run): RunHead {
  const { id, workflow, version, createdAt } = run;
  const { status, startedAt, endedAt, failure, isCancelling } = rowOf(run);
  return { id, workflow, version, status, createdAt, startedAt, endedAt, failure, isCancelling };
}

export function headOfRunAnswer(run: RunAnswer): RunHead {
  const { id, workflow, version, status, error, cancelRequested = false } = run;
  return {
    id,
    workflow,
    version: version ?? undefined,
    status,
    createdAt: instantOf(run.createdAt) ?? 0,
    startedAt: instantOf(run.startedAt),
    endedAt: instantOf(run.endedAt),
    failure: error,
    isCancelling: cancelRequested,
  };
}

/** Converts steps of the API for the tree. */
export function stepOfRunAnswer(shown: Step): TracedStep {
  const { path, verb, target, status, error, by, said, calledBefore, output, kept } = shown;
  return {
    path,
    verb,
    status,
    ...defined({ target, by }),
    ...progressOf(shown),
    ...(output === undefined ? {} : { value: { json: output } }),
    ...(said === undefined ? {} : { said: { ...said, at: instantOf(said.at) ?? 0 } }),
    ...defined({ failure: error, isCalledBefore: calledBefore, isKept: kept }),
    attempts: shown.attempts.map(attemptOf),
  };
}

function progressOf({ verb, progress }: Step): Partial<TracedStep> {
  if (progress === undefined) return {};
  if (!isLoop(verb)) return { progress };
  const { progress: finished, total } = progress;
  return total === undefined ? { finished } : { finished, total };
}

function attemptOf({ n, status, startedAt, endedAt, error, worker }: Attempt): TracedAttempt {
  const ended = instantOf(endedAt);
  return {
    n,
    status,
    startedAt: instantOf(startedAt) ?? 0,
    ...defined({ endedAt: ended, failure: error }),
    worker,
  };
}
