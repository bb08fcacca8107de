import * as z from 'zod';

import { type Exact, InstantSchema, RunIdSchema, WorkflowNameSchema, WorkflowPatternSchema } from './values.ts';

const HookDeliverySchema = z
  .strictObject({
    at: InstantSchema,
    outcome: z.enum(['started', 'repeated', 'ignored', 'refused']).meta({
      description:
        '`repeated`: the delivery had started a run before. `ignored`: the trigger’s `if` was not true, or read something that the delivery lacks.',
    }),
    reason: z.string().optional().meta({ description: 'Why it was refused or ignored.' }),
    runId: RunIdSchema.optional(),
  })
  .meta({ id: 'HookDelivery' });

export const HookSchema = z
  .strictObject({
    workflow: WorkflowNameSchema,
    hook: z.string(),
    version: z.int(),
    path: z.string().meta({ description: 'Where deliveries are sent, under the address of this API.' }),
    scheme: z.string().meta({ description: 'How deliveries are signed.' }),
    secret: z.string().meta({ description: 'Name of the secret that signs them.' }),
    deliveries: z.array(HookDeliverySchema).meta({
      description:
        'The last 50 of 7 days, newest first. Of refused ones at most one a second is recorded for each reason.',
    }),
  })
  .meta({ id: 'Hook' });

export type Hook = Exact<z.output<typeof HookSchema>>;

export const HookFilterSchema = z.strictObject({ workflow: WorkflowPatternSchema.optional() });
