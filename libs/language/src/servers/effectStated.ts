/** The step's own word goes before what is known of the tool; that its server honours keys holds all the same. */
import type { DecidedEffect, Effect } from '../plan.ts';

export function effectStated(stated: Effect | undefined, known: DecidedEffect): DecidedEffect {
  if (stated === undefined) return known;
  const { idempotency } = known;
  return { effect: stated, from: 'step', ...(idempotency === undefined ? {} : { idempotency }) };
}
