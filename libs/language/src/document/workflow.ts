/** The whole file. */
import { limits } from '@baton/expressions';
import * as z from 'zod';

import { duration } from './duration.ts';
import { EnsureList } from './ensure.ts';
import { WorkflowId } from './nameForms.ts';
import { Budget, Defaults } from './policies.ts';
import { shape } from './shape.ts';
import { StepListSchema } from './step.ts';
import { Trigger } from './triggers.ts';
import { SchemaMap, StateMap, Text, Title, ValueMap } from './values.ts';

const Concurrency = shape('concurrency', {
  key: Text.optional().meta({ description: 'Runs with the same text count together; default: all runs.' }),
  limit: z.int().min(1).max(limits.run.concurrent).optional().meta({ description: 'So many at once; default 1.' }),
  whenFull: z
    .enum(['queue', 'reject', 'replace'])
    .optional()
    .meta({ description: 'What becomes of one more; default `queue`.' }),
}).meta({ description: 'How many runs may be under way at once.' });

export const WorkflowSchema = shape('workflow', {
  workflow: WorkflowId,
  title: Title.optional().meta({ description: 'What people see.' }),
  description: z
    .string()
    .max(limits.document.descriptionCharacters)
    .optional()
    .meta({ description: 'What it is for; what an MCP client reads before it calls the workflow.' }),
  on: z.array(Trigger).max(limits.document.triggers).optional().meta({ description: 'What starts a run by itself.' }),
  inputs: SchemaMap.optional(),
  state: StateMap.optional(),
  concurrency: Concurrency.optional(),
  timeout: duration(1_000, limits.run.ageMs).optional().meta({ description: 'How long a run may take.' }),
  budget: Budget.optional().meta({ description: 'What a run may spend.' }),
  defaults: Defaults.optional(),
  steps: StepListSchema.meta({ description: 'Run top to bottom.' }),
  ensure: EnsureList.optional(),
  onFailure: StepListSchema.optional().meta({ description: 'Run when the run fails; `error` is in scope.' }),
  finally: StepListSchema.optional().meta({ description: 'Run at the end, however it ended.' }),
  outputs: ValueMap.optional().meta({ description: 'What the run hands back.' }),
}).meta({ title: 'Baton workflow', description: 'A durable workflow over MCP.' });

/** A validated workflow file, as its author wrote it: JSON, without defaults. */
export type Workflow = z.infer<typeof WorkflowSchema>;
