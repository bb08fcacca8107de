import type { Call } from './event.ts';

/**
 * Whether a call has side effects or costs money: its intent must be durable before the call is made, and its end is
 * written at once (I5).
 */
export const hasSideEffects = (call: Call): boolean =>
  call.verb === 'sample' || (call.verb === 'tool' && call.effect === 'write');
