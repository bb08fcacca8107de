/** Groups failed runs by cause. */
import { type Cause, type Failure, causeOfFailure } from '@baton/engine';
import type { FailedRun } from '@baton/store';

export interface FailureGroup extends Cause {
  readonly workflow: string;
  /** Runs that were to undo what others wrote, and not runs of the workflow itself. */
  readonly isUndo: boolean;
  /** Newest first. */
  readonly runs: readonly FailedRun[];
}

/** Most frequent first, of equal ones the newest. `failed`: newest first. */
export function groupByCause(failed: readonly FailedRun[]): readonly FailureGroup[] {
  const groups = new Map<string, FailureGroup & { readonly runs: FailedRun[] }>();
  for (const run of innermost(failed)) {
    const cause = causeOfFailure(run.failure);
    const { workflow, isUndo } = run;
    const key = `${workflow} ${isUndo} ${JSON.stringify(cause)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { workflow, isUndo, ...cause, runs: [run] });
    else group.runs.push(run);
  }
  return [...groups.values()].toSorted((one, other) => other.runs.length - one.runs.length);
}

/** Equal for failures of a workflow that have one cause. */
export const causeKey = (failure: Failure): string => JSON.stringify(causeOfFailure(failure));

/** Leaves out a run whose failure tells that of one of its child runs. */
function innermost(failed: readonly FailedRun[]): readonly FailedRun[] {
  const children = Map.groupBy(failed, ({ parentRunId }) => parentRunId);
  return failed.filter((run) => children.get(run.id)?.some((child) => tells(run, child)) !== true);
}

/** The message names the child run that it came through; that of a distributed item is told as the run's own. */
const tells = ({ failure: { code, message } }: FailedRun, child: FailedRun): boolean =>
  message.split(' By way of: ').slice(1).join('').includes(child.id) ||
  (code === child.failure.code && message === child.failure.message);
