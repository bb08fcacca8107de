/** Checks whether a key may send something to a run. */
import type { Plans } from '@baton/runner';
import { type Store, getRun, isRunId } from '@baton/store';

import { type checkEffectsOf, checkParentEffects } from './effects.ts';
import { maySee } from './keyAccess.ts';
import type { Principal } from './scopes.ts';

export interface RunReachOptions {
  readonly store: Store;
  readonly plans: Plans;
}

/**
 * Whether the run exists for this key; a key without limits may use any id. `checkLimit` says what the run will do
 * next. Rejects with `ProblemError` if the key may not cause that, and with `UnavailableError`.
 */
export async function isRunOf(
  options: RunReachOptions,
  id: string,
  principal: Principal,
  checkLimit: typeof checkEffectsOf,
): Promise<boolean> {
  if (principal.workflows === undefined && principal.effects === undefined) return isRunId(id);
  const { store, plans } = options;
  const run = await getRun(store, id);
  if (run === undefined || !maySee(principal, run.workflow)) return false;
  await checkLimit(principal, plans, run.definition);
  await checkParentEffects(principal, options, run.parent);
  return true;
}
