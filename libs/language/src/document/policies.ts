/** Schemas of timeouts, retries and budgets. */
import { limits } from '@baton/expressions';
import * as z from 'zod';

import { duration } from './duration.ts';
import { FailureCode } from './nameForms.ts';
import { shape } from './shape.ts';

const { step } = limits;

export const StepDuration = duration(1, step.timeoutMs);
export const WaitDuration = duration(1, step.waitMs);

export const Retry = shape('retry', {
  attempts: z.int().min(1).max(step.attempts).optional().meta({ description: 'Tries in all, the first included.' }),
  backoff: z.enum(['exponential', 'linear', 'fixed']).optional().meta({ description: 'How the delay grows.' }),
  delay: duration(1, step.retryDelayMs).optional().meta({ description: 'Before the second attempt.' }),
  maxDelay: duration(1, step.retryDelayMs).optional().meta({ description: 'The delay grows no further.' }),
  jitter: z.boolean().optional().meta({ description: 'Draw half of each delay at random.' }),
  on: z
    .array(FailureCode)
    .min(1)
    .optional()
    .meta({ description: 'Codes of the failures that are tried again; absent: those that another try may help.' }),
}).meta({ description: 'How often, and how far apart, a call is tried.' });

export const Timeout = z
  .union([
    StepDuration,
    shape('timeout', {
      idle: StepDuration.optional().meta({ description: 'Without progress; each progress message starts it anew.' }),
      total: StepDuration.optional().meta({ description: 'In all; nothing puts it off.' }),
    }),
  ])
  .meta({ description: 'How long one attempt may take.' });

export const Budget = shape('budget', {
  usd: z.number().positive().optional().meta({ description: 'Money for models, in US dollars.' }),
  tokens: z.int().positive().optional().meta({ description: 'Tokens in and out.' }),
  toolCalls: z.int().positive().optional().meta({ description: 'Calls of tools, attempts counted.' }),
}).meta({ description: 'What may be spent.' });

export const Defaults = shape('defaults', { timeout: Timeout.optional(), retry: Retry.optional() }).meta({
  description: 'For every call that does not say otherwise.',
});
