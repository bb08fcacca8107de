/** Computes when a failed attempt is retried. */
import { limits } from '@baton/expressions';
import type { RetryPolicy } from '@baton/language';

/**
 * Milliseconds from the failure of `attempt` (counted from 1) to the next attempt.
 * Half of a jittered delay is fixed, half is drawn; the draw comes from `seed`, so replaying gives the same instant.
 */
export function retryDelayMs(policy: RetryPolicy, attempt: number, seed: string, atLeastMs = 0): number {
  const factor = { fixed: 1, linear: attempt, exponential: 2 ** (attempt - 1) }[policy.backoff];
  const delayMs = Math.min(policy.delayMs * factor, policy.maxDelayMs);
  const spreadMs = policy.jitter ? delayMs * (0.5 + 0.5 * fraction(`${seed}#${attempt}`)) : delayMs;
  return Math.round(Math.min(Math.max(spreadMs, atLeastMs), limits.step.retryDelayMs));
}

/** FNV-1a over the text, as a number in [0, 1). */
function fraction(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}
