import { InvariantError } from '@baton/engine';
import type { TaskTrouble } from '@baton/runner';

import type { AppParts } from './appParts.ts';

/** A bug is an error, which no operator can correct. */
export const taskTrouble =
  (log: AppParts['log']): TaskTrouble =>
  (error, what) =>
    log[error instanceof InvariantError ? 'error' : 'warn']({ err: error }, `a background task failed: ${what}`);
