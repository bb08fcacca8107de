/** Schemas for starting a run. */
import { limits } from '@baton/expressions';
import { durationMs } from '@baton/language';
import * as z from 'zod';

import { storable } from './parameters.ts';
import { RunStatusSchema } from './run.ts';
import { secretNameForm } from './secret.ts';
import { type Exact, AnyObjectSchema, AnyValueSchema, FailureSchema, RunIdSchema } from './values.ts';

const DelaySchema = z
  .string()
  .refine((text) => (durationMs(text) ?? Infinity) <= limits.step.waitMs, 'a duration such as 30s, 5m or 2h')
  .meta({ description: 'A duration such as `30s`; the run starts after it.' });

const TagSchema = storable(z.string().min(1).max(limits.run.tagCharacters));

const options = {
  inputs: AnyObjectSchema.optional().meta({ description: 'Inputs as the workflow’s `inputs` define them.' }),
  version: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .optional()
    .meta({ description: 'The default is the newest version.' }),
  priority: z
    .int()
    .min(0)
    .max(2 ** 21 - 1)
    .optional()
    .meta({ description: 'Smaller numbers start sooner. 0 starts before all others, in order of arrival.' }),
  delay: DelaySchema.optional(),
  tags: z.array(TagSchema).max(limits.run.tags).optional(),
  callback: z
    .strictObject({
      url: storable(z.string().min(1).max(2_000)),
      secret: z
        .string()
        .regex(secretNameForm)
        .meta({ description: 'Name of the stored secret that signs the message.' }),
    })
    .optional()
    .meta({
      id: 'Callback',
      description: 'Receives a Standard Webhook when the run ends: `{ type: "run.finished", timestamp, data }`.',
    }),
};

export const RunRequestSchema = z.strictObject(options).meta({ id: 'RunRequest' });

export type RunRequest = z.output<typeof RunRequestSchema>;

export const AnyRunRequestSchema = z
  .strictObject({
    workflow: z
      .union([z.string().min(1), AnyObjectSchema], { error: 'a name, a workflow, or its YAML text' })
      .meta({ description: 'Name of a deployed workflow, or a workflow as an object or YAML text.' }),
    ...options,
  })
  .meta({ id: 'AnyRunRequest' });

export type AnyRunRequest = z.output<typeof AnyRunRequestSchema>;

export const AcceptedRunSchema = z.strictObject({ id: RunIdSchema, status: RunStatusSchema }).meta({ id: 'Accepted' });

export const EndedRunSchema = z
  .strictObject({
    id: RunIdSchema,
    status: RunStatusSchema,
    outputs: AnyValueSchema.optional(),
    error: FailureSchema.optional(),
  })
  .meta({ id: 'EndedRun', description: 'The outcome of a run, without its steps.' });

export type EndedRun = Exact<z.output<typeof EndedRunSchema>>;

export type AcceptedRun = z.output<typeof AcceptedRunSchema>;

export const StartHeadersSchema = z.looseObject({
  'idempotency-key': z
    .string()
    .optional()
    .meta({ description: 'A repeated request with the same key and body returns the same run.' }),
  prefer: z.string().optional().meta({
    description:
      '`wait=30`: wait up to 30 seconds, and answer with the finished run if it ends in time; `wait=30, return=minimal`: with only its outcome.',
  }),
});
