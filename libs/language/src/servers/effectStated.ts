/** The step's `effect` overrides the tool's, but not whether the server honours keys. */
import type { DecidedEffect, Effect } from '../plan.ts';

export function effectStated(stated: Effect | undefined, known: DecidedEffect): DecidedEffect {
  if (stated === undefined) return known;
  const { idempotency } = known;
  return { effect: stated, from: 'step', ...(idempotency === undefined ? {} : { idempotency }) };
}
