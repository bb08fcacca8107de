/** Schemas of what the workflows of a pattern may use in a day or a month. */
import * as z from 'zod';

import { type Exact, InstantSchema, WorkflowPatternSchema } from './values.ts';

export const budgetNameForm = /^[A-Za-z0-9][\w.-]{0,62}$/;

const units = ['usd', 'tokens', 'writes', 'runs'] as const;
const countMax = 1_000_000_000_000;

const PerSchema = z.enum(['day', 'month']).meta({ description: 'In UTC.' });

export const BudgetTermsSchema = z
  .strictObject({
    on: WorkflowPatternSchema,
    per: PerSchema,
    usd: z.number().min(0).max(countMax).optional().meta({ description: 'What models may cost.' }),
    tokens: z.int().min(0).max(countMax).optional().meta({ description: 'Of models, in and out.' }),
    writes: z.int().min(0).max(countMax).optional().meta({ description: 'Calls with the effect `write`.' }),
    runs: z.int().min(0).max(countMax).optional().meta({ description: 'Runs that are accepted, child runs too.' }),
  })
  .refine((body) => units.some((unit) => body[unit] !== undefined), 'usd, tokens, writes or runs')
  .meta({ id: 'BudgetTerms' });

const BudgetLimitSchema = z.strictObject({ unit: z.enum(units), most: z.number(), spent: z.number() });

export const BudgetSchema = z
  .strictObject({
    name: z.string(),
    on: WorkflowPatternSchema,
    per: PerSchema,
    limits: z.array(BudgetLimitSchema),
    since: InstantSchema.meta({ description: 'The beginning of this day or month.' }),
    until: InstantSchema.meta({ description: 'Its end: then everything is there anew.' }),
    setBy: z.string(),
    setAt: InstantSchema,
    warning: z.string().optional().meta({
      description: 'That no deployed workflow matches `on`: it may be misspelt, or its workflow comes later.',
    }),
  })
  .meta({ id: 'Budget', description: 'What the workflows of a pattern may use in a day or a month, and have used.' });

export const BudgetsSchema = z.strictObject({ data: z.array(BudgetSchema) });

export type Budget = Exact<z.output<typeof BudgetSchema>>;
