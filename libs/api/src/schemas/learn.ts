/** Schemas for learning a workflow from a run. */
import * as z from 'zod';

import { storable } from './parameters.ts';
import { type Exact, FindingSchema, WorkflowNameSchema } from './values.ts';

export const LearnRequestSchema = z
  .strictObject({
    name: WorkflowNameSchema.optional().meta({ description: 'Name of the workflow; the default is `learned`.' }),
    answers: z
      .record(storable(z.string().max(2_000)), z.int().min(0).max(1_000))
      .optional()
      .meta({ description: 'Answers to open questions, by id: the number of the option, from 0.' }),
  })
  .meta({ id: 'Learn' });

const text = z.string();

export const LearnedWorkflowSchema = z
  .strictObject({
    source: text.meta({ description: 'YAML.' }),
    inputs: z.array(text).meta({
      description:
        'Names of the inputs. Their defaults are the values of the run; what says which order, payment or person is meant has none if the workflow writes.',
    }),
    leftOut: z
      .array(z.strictObject({ path: text, why: text }))
      .meta({ description: 'Steps of the run that the workflow does not repeat.' }),
    notes: z.array(z.strictObject({ step: text, note: text })).meta({
      description:
        'Notes for a person to check; those that begin with `look:` are doubts. Most are comments in the source, too.',
    }),
    questions: z.array(z.strictObject({ id: text, text, options: z.array(text) })).meta({
      description: 'Questions that the run leaves open. Without an answer Baton takes the first option, the likeliest.',
    }),
    replay: z
      .strictObject({ same: z.boolean(), differences: z.array(z.strictObject({ path: text, message: text })) })
      .meta({ description: 'Whether the workflow, given the recorded answers, makes the same calls.' }),
    findings: z.array(FindingSchema),
  })
  .meta({ id: 'LearnedWorkflow' });

export type LearnedWorkflow = Exact<z.output<typeof LearnedWorkflowSchema>>;
