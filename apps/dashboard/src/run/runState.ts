import { type Run, isEnded, rowOf } from '@baton/engine';

export const isCancelling = (run: Run): boolean => rowOf(run).isCancelling;

/** Whether no further step begins, except those of `finally` until the run has ended. */
export const isClosing = (run: Run): boolean => isEnded(run) || ('ending' in run && run.ending !== undefined);

/** When the run was first claimed; before that, when it was requested. */
export const startOf = (run: Run): number => rowOf(run).startedAt ?? run.createdAt;
