import type { Call } from '@baton/engine';

/** Could be felt, or costs money: on record before it is made, and how it ended as soon as that is known (I5). */
export const hasSideEffects = (call: Call): boolean =>
  call.verb === 'sample' || (call.verb === 'tool' && call.effect === 'write');
