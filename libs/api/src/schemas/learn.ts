/** A workflow that is learned from a run. */
import * as z from 'zod';

import { storable } from './parameters.ts';
import type { Exact } from './values.ts';
import { FindingSchema, WorkflowNameSchema } from './values.ts';

export const LearnRequestSchema = z
  .strictObject({
    name: WorkflowNameSchema.optional().meta({ description: 'Of the workflow; the default is `learned`.' }),
    answers: z
      .record(storable(z.string().max(2_000)), z.int().min(0).max(1_000))
      .optional()
      .meta({ description: 'To open questions, by their ids: the number of the option, from 0.' }),
  })
  .meta({ id: 'Learn' });

const text = z.string();

export const LearnedWorkflowSchema = z
  .strictObject({
    source: text.meta({ description: 'YAML.' }),
    inputs: z.array(text).meta({ description: 'Names; the values of the run are their defaults.' }),
    leftOut: z
      .array(z.strictObject({ path: text, why: text }))
      .meta({ description: 'Steps of the run that the workflow does not repeat.' }),
    notes: z
      .array(z.strictObject({ step: text, note: text }))
      .meta({ description: 'What a person should look at. Most are comments in the source, too.' }),
    questions: z
      .array(z.strictObject({ id: text, text, options: z.array(text) }))
      .meta({ description: 'What the run leaves open. The first option is the likelier, and is taken.' }),
    replay: z
      .strictObject({ same: z.boolean(), differences: z.array(z.strictObject({ path: text, message: text })) })
      .meta({ description: 'Whether the workflow, given the recorded answers, makes the same calls.' }),
    findings: z.array(FindingSchema),
  })
  .meta({ id: 'LearnedWorkflow' });

export type LearnedWorkflow = Exact<z.output<typeof LearnedWorkflowSchema>>;
