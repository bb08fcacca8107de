import type { Run } from '@baton/engine';
import { rowOf } from '@baton/engine';

export const isCancelling = (run: Run): boolean => rowOf(run).isCancelling;

/** When the run was first claimed; before that, when it was requested. */
export const startOf = (run: Run): number => rowOf(run).startedAt ?? run.createdAt;
