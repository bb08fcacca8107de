/** Schemas of what models cost. */
import * as z from 'zod';

import { FromTextSchema, several, ToTextSchema } from './parameters.ts';
import { type Exact, WorkflowNameSchema, WorkflowPatternSchema } from './values.ts';

const costGroups = ['day', 'workflow', 'model', 'key'] as const;

export const CostQuerySchema = z.strictObject({
  by: several(z.enum(costGroups))
    .optional()
    .meta({ description: 'What is summed apart: one or several; without it, models.' }),
  from: FromTextSchema.optional().meta({
    description: 'The first day, in UTC; the default is 29 days before the last.',
  }),
  to: ToTextSchema.optional().meta({
    description: 'The end, in UTC; a date includes the whole day. The default is now.',
  }),
  workflow: WorkflowPatternSchema.optional(),
});

const sums = {
  answers: z.int().meta({ description: 'Answers of models, also those that did not fit the declared output.' }),
  inputTokens: z.int(),
  outputTokens: z.int(),
  usd: z.number().meta({ description: 'Of the answers whose model has a price in `mcp.json`.' }),
  estimated: z.int().optional().meta({
    description: 'Answers whose tokens Baton estimated, because the provider did not count them; absent if none.',
  }),
  unpriced: z.int().optional().meta({ description: 'Answers of models without a price; absent if none.' }),
  unknown: z.int().optional().meta({
    description:
      'Answers whose tokens are not known, as of the models of MCP clients that do not say them; absent if none.',
  }),
};

const DaySchema = z.iso.date();

const CostSchema = z
  .strictObject({
    day: DaySchema.optional(),
    workflow: WorkflowNameSchema.optional(),
    model: z.string().optional().meta({ description: '`provider/model`, or what an MCP client calls its model.' }),
    key: z.string().optional().meta({ description: 'Who requested the runs: a key, or a trigger.' }),
    ...sums,
  })
  .meta({ id: 'Cost' });

export const CostsSchema = z
  .strictObject({
    from: DaySchema.meta({ description: 'The first day.' }),
    to: DaySchema.meta({ description: 'The last day.' }),
    data: z.array(CostSchema).meta({ description: 'By day, and the dearest first.' }),
    total: z.strictObject(sums),
    cut: z.literal(true).optional().meta({ description: 'There are more than 5,000; `total` has all.' }),
  })
  .meta({ id: 'Costs', description: 'What models cost.' });

export type Cost = Exact<z.output<typeof CostSchema>>;
export type Costs = Exact<z.output<typeof CostsSchema>>;
