/** The defaults of the language. docs/language.md lists them. */
import { limits } from '@baton/expressions';
import type { JsonSchema } from '@baton/primitives';

import type { DecidedEffect, RetryPolicy } from '../plan.ts';

export const defaults = {
  retry: { attempts: 3, backoff: 'exponential', delayMs: 1_000, maxDelayMs: 60_000, jitter: true },
  effect: { effect: 'write', from: 'default' },
  forEach: { as: 'item', maxParallel: 8 },
  parallel: { maxParallel: limits.step.maxParallel },
  sample: { maxTokens: 1_024 },
  form: {
    type: 'object',
    properties: { approve: { type: 'boolean' } },
    required: ['approve'],
    additionalProperties: false,
  },
  ensure: { everyMs: 5_000 },
  failureCode: 'workflow-failed',
  schedule: { timezone: 'UTC', overlap: 'skip', catchUp: 'none', catchUpWindowMs: 24 * 3_600_000 },
  event: { everyMs: 10_000 },
  poll: { everyMs: 60_000, start: 'now', keepMs: 90 * 24 * 3_600_000 },
  concurrency: { limit: 1, whenFull: 'queue' },
} as const satisfies {
  retry: RetryPolicy;
  effect: DecidedEffect;
  form: JsonSchema;
  [other: string]: unknown;
};

/** Steps that are no calls are not retried. */
export const noRetry: RetryPolicy = { ...defaults.retry, attempts: 1 };
