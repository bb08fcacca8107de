/** Schemas for evaluating an expression in a run. */
import * as z from 'zod';

import { storable } from './parameters.ts';
import { AnyValueSchema } from './values.ts';

export const EvaluateRequestSchema = z
  .strictObject({
    expression: z
      .string()
      .min(1)
      .max(10_000)
      .meta({ description: 'A bare expression, as in `if`, or a text with `${{ … }}`, as in `with`.' }),
    step: storable(z.string().min(1).max(1_000)).optional().meta({
      description:
        'Path of a step that has begun: the expression sees the values of that step when it ended. The default are the values that the outputs of the workflow see.',
    }),
    after: z
      .int()
      .min(1)
      .max(2_147_483_647)
      .optional()
      .meta({ description: 'Use the run as of this position in its journal.' }),
  })
  .meta({ id: 'Evaluate' });

export const EvaluatedSchema = z
  .strictObject({ value: AnyValueSchema.meta({ description: 'Secrets are masked.' }) })
  .meta({ id: 'Evaluated' });
