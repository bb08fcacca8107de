/** The timeouts of one call. */
import { limits } from '@baton/expressions';

import type { CallContext } from '../ports/calls.ts';

/** Fills in a limit that the step does not set with the longest timeout that a step may have. */
export const callTimeout = ({
  idleMs,
  totalMs,
}: CallContext['timeout']): { readonly callIdleMs: number; readonly callTotalMs: number } => ({
  callIdleMs: idleMs ?? limits.step.timeoutMs,
  callTotalMs: totalMs ?? limits.step.timeoutMs,
});
