/** The columns that lists show of a run, and whether an append changes them. */
import type { Run } from '@baton/engine';

import type { RunRow } from './journal.ts';

export function rowOf(run: Run): RunRow {
  const { status, worker, startedAt, endedAt, wakeAt, outputs, failure, questions } = run;
  return { status, worker, startedAt, endedAt, wakeAt, outputs, failure, questions, isCancelling: isCancelling(run) };
}

/** Undefined where the row need not be written. Most appends do not write it, which keeps them cheap. */
export function changedRow(before: Run | undefined, after: Run): RunRow | undefined {
  const isSame =
    before !== undefined &&
    before.status === after.status &&
    before.worker === after.worker &&
    before.wakeAt === after.wakeAt &&
    before.questions === after.questions &&
    before.cancel === after.cancel;
  return isSame ? undefined : rowOf(after);
}

const isCancelling = ({ cancel, endedAt }: Run): boolean => cancel !== undefined && endedAt === undefined;
