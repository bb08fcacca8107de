import * as z from 'zod';

import { CursorSchema, LimitSchema } from './parameters.ts';
import type { Exact } from './values.ts';
import {
  JsonSchemaSchema,
  AnyObjectSchema,
  AnyValueSchema,
  InstantSchema,
  RunIdSchema,
  WorkflowNameSchema,
} from './values.ts';

export const QuestionSchema = z
  .strictObject({
    id: z.string(),
    runId: RunIdSchema,
    workflow: WorkflowNameSchema,
    version: z.int().nullable(),
    step: z.string().meta({ description: 'Path of the step that asks.' }),
    message: z.string(),
    url: z.string().optional().meta({
      description: 'An address that a server wants somebody to open before they answer. Look where it leads.',
    }),
    form: JsonSchemaSchema.meta({ description: 'JSON Schema of the answer.' }),
    status: z.enum(['open', 'answered', 'closed']),
    askedAt: InstantSchema,
    expiresAt: InstantSchema.optional(),
    onExpire: AnyValueSchema.optional().meta({ description: 'The answer that is taken when time runs out.' }),
    answeredBy: z.string().optional(),
  })
  .meta({ id: 'Question' });

export type Question = Exact<z.output<typeof QuestionSchema>>;

export const QuestionFilterSchema = z.strictObject({
  workflow: WorkflowNameSchema.optional(),
  limit: LimitSchema,
  cursor: CursorSchema,
});

export const AnswerSchema = z
  .strictObject({ answer: AnyObjectSchema.meta({ description: 'As the form asks for it.' }) })
  .meta({ id: 'Answer' });

export const TakenAnswerSchema = z
  .strictObject({ id: z.string(), runId: RunIdSchema, answer: AnyValueSchema, by: z.string() })
  .meta({ id: 'TakenAnswer', description: 'The answer as it was taken, with the form’s defaults.' });
