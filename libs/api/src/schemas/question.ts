import * as z from 'zod';

import { CursorSchema, LimitSchema } from './parameters.ts';
import {
  type Exact,
  JsonSchemaSchema,
  AnyObjectSchema,
  AnyValueSchema,
  InstantSchema,
  RunIdSchema,
  WorkflowNameSchema,
  WorkflowPatternSchema,
} from './values.ts';

export const QuestionSchema = z
  .strictObject({
    id: z.string(),
    runId: RunIdSchema,
    workflow: WorkflowNameSchema,
    version: z.int().nullable(),
    step: z.string().meta({ description: 'Path of the step that asks.' }),
    message: z.string(),
    inputs: AnyValueSchema.optional().meta({
      description: 'The inputs of the run; of large ones only the beginning. Absent before version 0.2.',
    }),
    url: z.string().optional().meta({
      description: 'An address that the server asks the answering person to open first. Check it before you open it.',
    }),
    form: JsonSchemaSchema.meta({ description: 'JSON Schema of the answer.' }),
    status: z.enum(['open', 'answered', 'closed']),
    askedAt: InstantSchema,
    expiresAt: InstantSchema.optional(),
    onExpire: AnyValueSchema.optional().meta({ description: 'The answer used when the question expires.' }),
    answeredBy: z.string().optional(),
  })
  .meta({ id: 'Question' });

export type Question = Exact<z.output<typeof QuestionSchema>>;

export const QuestionFilterSchema = z.strictObject({
  workflow: WorkflowPatternSchema.optional(),
  run: RunIdSchema.optional().meta({ description: 'Only questions of this run.' }),
  runId: RunIdSchema.optional().meta({ description: 'The same as `run`, its older name.' }),
  limit: LimitSchema,
  cursor: CursorSchema,
});

export const AnswerSchema = z
  .strictObject({ answer: AnyObjectSchema.meta({ description: 'Answer that fits the form.' }) })
  .meta({ id: 'Answer' });

export const TakenAnswerSchema = z
  .strictObject({ id: z.string(), runId: RunIdSchema, answer: AnyValueSchema, by: z.string() })
  .meta({ id: 'TakenAnswer', description: 'The recorded answer, with the form’s defaults.' });
