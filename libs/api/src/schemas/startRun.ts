/** What starts a run, and what answers it. */
import { durationMs, limits } from '@baton/language';
import * as z from 'zod';

import { storable } from './parameters.ts';
import { RunStatusSchema } from './run.ts';
import { secretNameForm } from './secret.ts';
import { AnyObjectSchema, RunIdSchema } from './values.ts';

const DelaySchema = z
  .string()
  .refine((text) => (durationMs(text) ?? Infinity) <= limits.step.waitMs, 'a duration such as 30s, 5m or 2h')
  .meta({ description: 'A duration such as `30s`: the run begins so much later.' });

const TagSchema = storable(z.string().min(1).max(limits.run.tagCharacters));

const options = {
  inputs: AnyObjectSchema.optional().meta({ description: 'As the workflow’s `inputs` ask for them.' }),
  version: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .optional()
    .meta({ description: 'Absent: the newest.' }),
  priority: z
    .int()
    .min(0)
    .max(2 ** 21 - 1)
    .optional()
    .meta({ description: 'Smaller is sooner; 0: first come, first served, before all others.' }),
  delay: DelaySchema.optional(),
  tags: z.array(TagSchema).max(limits.run.tags).optional(),
  callback: z
    .strictObject({
      url: storable(z.string().min(1).max(2_000)),
      secret: z.string().regex(secretNameForm).meta({ description: 'Name of the stored secret that signs.' }),
    })
    .optional()
    .meta({
      id: 'Callback',
      description: 'Is told of the end of the run, as a Standard Webhook: `{ type: "run.finished", timestamp, data }`.',
    }),
};

export const RunRequestSchema = z.strictObject(options).meta({ id: 'RunRequest' });

export type RunRequest = z.output<typeof RunRequestSchema>;

export const AnyRunRequestSchema = z
  .strictObject({
    workflow: z
      .union([z.string().min(1), AnyObjectSchema], { error: 'a name, a workflow, or its YAML text' })
      .meta({ description: 'A name; or the workflow itself, as an object or as YAML text.' }),
    ...options,
  })
  .meta({ id: 'AnyRunRequest' });

export type AnyRunRequest = z.output<typeof AnyRunRequestSchema>;

export const AcceptedRunSchema = z.strictObject({ id: RunIdSchema, status: RunStatusSchema }).meta({ id: 'Accepted' });

export type AcceptedRun = z.output<typeof AcceptedRunSchema>;

export const StartHeadersSchema = z.looseObject({
  'idempotency-key': z
    .string()
    .optional()
    .meta({ description: 'The same key with the same body answers with the same run.' }),
  prefer: z
    .string()
    .optional()
    .meta({ description: '`wait=30`: answer with the finished run, if it finishes within so many seconds.' }),
});
