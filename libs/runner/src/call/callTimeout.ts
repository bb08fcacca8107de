/** The two limits of a call. */
import { limits } from '@baton/language';

import type { CallContext } from '../ports/calls.ts';

/** One that is said and one that is not: the other is as long as anything may take. */
export const callTimeout = ({
  idleMs,
  totalMs,
}: CallContext['timeout']): { readonly callIdleMs: number; readonly callTotalMs: number } => ({
  callIdleMs: idleMs ?? limits.step.timeoutMs,
  callTotalMs: totalMs ?? limits.step.timeoutMs,
});
