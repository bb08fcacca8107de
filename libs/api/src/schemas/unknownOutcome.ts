/** Schemas of calls whose outcome is not known, grouped by what lost their answers. */
import * as z from 'zod';

import { FailureCausesQuerySchema, RunStatusSchema } from './run.ts';
import { type Exact, InstantSchema, RunIdSchema, WorkflowNameSchema } from './values.ts';

const UnknownCallSchema = z
  .strictObject({
    run: RunIdSchema,
    workflow: WorkflowNameSchema,
    version: z.int().nullable(),
    status: RunStatusSchema.meta({ description: 'Of the run.' }),
    step: z.string().meta({ description: 'Path of the step that made the call.' }),
    attempt: z.int(),
    target: z.string().optional().meta({ description: 'The tool, as `server/tool`.' }),
    arguments: z.string().optional().meta({
      description: 'The first 400 characters of the arguments, as JSON. Secrets are masked.',
    }),
    at: InstantSchema.meta({ description: 'When the call was sent.' }),
    message: z.string().meta({ description: 'The failure of the step.' }),
    ifUnknown: z.enum(['fail', 'retry', 'ask', 'check']).optional().meta({
      description:
        'What the step does about it. Absent: the version of the run is not readable, or a client made the call.',
    }),
    check: z.string().optional().meta({
      description: 'What finds out whether the call happened: a tool as `server/tool`, or a server and a resource.',
    }),
    checked: z.enum(['undecided', 'not-happened']).optional().meta({
      description: 'What the check found. `undecided`: it failed, or gave neither true nor false.',
    }),
    question: z.string().optional().meta({ description: 'Id of the open question whether it happened.' }),
    retriedAs: RunIdSchema.optional().meta({ description: 'The newest retry of the run.' }),
    retry: z
      .strictObject({
        run: RunIdSchema,
        workflow: WorkflowNameSchema,
        version: z.int().nullable(),
        path: z.string().meta({ description: 'Of the call in that run, for `told`: `order>pay`.' }),
      })
      .optional()
      .meta({ description: 'Of a child run that ended: the outermost run above it, whose retry goes on from it too.' }),
  })
  .meta({ id: 'UnknownCall' });

const LostAnswersSchema = z
  .strictObject({
    server: z.string().optional().meta({ description: 'Absent: the worker that made the calls died.' }),
    worker: z.string().optional(),
    code: z.string().meta({ description: 'How the answers were lost: `connection-lost`, `timeout`, `worker-lost`, …' }),
    cause: z.string().meta({ description: 'The message beside the code, of the newest of these calls.' }),
    first: InstantSchema.meta({ description: 'When the first of the answers was known to be lost.' }),
    last: InstantSchema,
    calls: z.array(UnknownCallSchema).meta({ description: 'Newest first.' }),
  })
  .meta({ id: 'LostAnswers' });

export const UnknownOutcomesSchema = z
  .strictObject({
    count: z.int().meta({ description: 'Number of calls.' }),
    data: z.array(LostAnswersSchema).meta({ description: 'By what lost the answers, the newest first.' }),
    cut: z.literal(true).optional().meta({ description: 'There are more: these are of the newest 500 calls.' }),
  })
  .meta({ id: 'UnknownOutcomes' });

export const UnknownOutcomesQuerySchema = FailureCausesQuerySchema.omit({ outcome: true });

export type UnknownCall = Exact<z.output<typeof UnknownCallSchema>>;
export type LostAnswers = Exact<z.output<typeof LostAnswersSchema>>;
export type UnknownOutcomes = Exact<z.output<typeof UnknownOutcomesSchema>>;
