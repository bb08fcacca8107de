import type { Edition } from '@baton/expressions';
import { defined } from '@baton/primitives';

import { durationMs } from '../document/duration.ts';
import type { Workflow } from '../document/workflow.ts';
import type { Budget, RetryPolicy, Timeout } from '../plan.ts';
import { defaults } from './defaults.ts';

type WorkflowDefaults = NonNullable<Workflow['defaults']>;
type WrittenRetry = NonNullable<WorkflowDefaults['retry']>;
type WrittenTimeout = NonNullable<WorkflowDefaults['timeout']>;

/** Milliseconds of a duration that passed its schema. */
export const ms = (written: string): number => durationMs(written) ?? 0;

/** Field by field: the step's, else the workflow's `defaults`, else Baton's. */
export function retryOf(
  step: WrittenRetry | undefined,
  common: WrittenRetry | undefined,
  edition: Edition,
): RetryPolicy {
  const { retry } = defaults;
  const on = step?.on ?? common?.on;
  const delay = step?.delay ?? common?.delay;
  const maxDelay = step?.maxDelay ?? common?.maxDelay;
  const delayMs = delay === undefined ? retry.delayMs : ms(delay);
  return {
    attempts: step?.attempts ?? common?.attempts ?? retry.attempts,
    backoff: step?.backoff ?? common?.backoff ?? retry.backoff,
    delayMs,
    // An author who sets a long delay does not want a default limit to shorten it.
    maxDelayMs: maxDelay === undefined ? Math.max(retry.maxDelayMs, delayMs) : Math.max(ms(maxDelay), delayMs),
    jitter: step?.jitter ?? common?.jitter ?? retry.jitter,
    ...defined({ on }),
    ...(edition === 1 ? { alsoToolFailed: true as const } : {}),
  };
}

/** One duration is the total. */
export function timeoutOf(written: WrittenTimeout | undefined): Timeout {
  if (written === undefined) return {};
  if (typeof written === 'string') return { totalMs: ms(written) };
  return {
    ...(written.idle === undefined ? {} : { idleMs: ms(written.idle) }),
    ...(written.total === undefined ? {} : { totalMs: ms(written.total) }),
  };
}

export function budgetOf({ usd, tokens, toolCalls }: NonNullable<Workflow['budget']>): Budget {
  return defined({ usd, tokens, toolCalls });
}
