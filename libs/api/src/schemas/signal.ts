import * as z from 'zod';

import { RunStatusSchema } from './run.ts';
import { AnyValueSchema, RunIdSchema } from './values.ts';

export const SignalRequestSchema = z
  .strictObject({
    payload: AnyValueSchema.optional().meta({
      description: 'Becomes the output of the step that receives the signal.',
    }),
  })
  .meta({ id: 'Signal' });

export const SignalledRunSchema = z
  .strictObject({
    id: RunIdSchema,
    status: RunStatusSchema,
    signal: z.string(),
    seq: z.int().meta({ description: 'Position of the event in the journal.' }),
  })
  .meta({ id: 'Signalled' });
