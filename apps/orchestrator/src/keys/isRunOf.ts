/** Whether a key may tell a run something. */
import type { Plans } from '@baton/runner';
import type { Store } from '@baton/store';
import { getRun, isRunId } from '@baton/store';

import type { checkEffectsOf } from './effects.ts';
import { reaches } from './keyAccess.ts';
import type { Principal } from './scopes.ts';

export interface RunReachOptions {
  readonly store: Store;
  readonly plans: Plans;
}

/**
 * Whether there is such a run, for this key; for a key without limits any id may be one. `checkLimit` says what the run
 * is set going to do. Rejects with `ProblemError` where the key may not do that, and with `UnavailableError`.
 */
export async function isRunOf(
  { store, plans }: RunReachOptions,
  id: string,
  principal: Principal,
  checkLimit: typeof checkEffectsOf,
): Promise<boolean> {
  if (principal.workflows === undefined && principal.effects === undefined) return isRunId(id);
  const run = await getRun(store, id);
  if (run === undefined || !reaches(principal, run.workflow)) return false;
  await checkLimit(principal, plans, run.definition);
  return true;
}
