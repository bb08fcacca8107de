import * as z from 'zod';

import { RunStatusSchema } from './run.ts';
import { AnyValueSchema, RunIdSchema } from './values.ts';

export const SignalRequestSchema = z
  .strictObject({ payload: AnyValueSchema.optional().meta({ description: 'The output of the step that takes it.' }) })
  .meta({ id: 'Signal' });

export const SignalledRunSchema = z
  .strictObject({
    id: RunIdSchema,
    status: RunStatusSchema,
    signal: z.string(),
    seq: z.int().meta({ description: 'Of its event in the journal.' }),
  })
  .meta({ id: 'Signalled' });
