/** Schemas of `ensure`: what must be true at the end of a step, of a group or of the run, and the read that shows it. */
import { limits } from '@baton/expressions';
import * as z from 'zod';

import { resourceFields, toolFields, workflowFields } from './actions.ts';
import { StepDuration, WaitDuration } from './policies.ts';
import { oneByKey, shape } from './shape.ts';
import { Condition, Title } from './values.ts';

const common = {
  title: Title.optional().meta({ description: 'What people see.' }),
  that: Condition.meta({ description: 'Bare CEL; `result` is what was read. The run fails where it is not true.' }),
  within: WaitDuration.optional().meta({ description: 'Reads again until then; absent: it reads once.' }),
  every: WaitDuration.optional().meta({ description: 'The pause between two reads; default 5s.' }),
};

const { tool, with: args, timeout, retry } = toolFields;

export const ToolEnsure = shape('toolEnsure', {
  tool,
  with: args,
  timeout,
  retry,
  effect: z.literal('read').optional().meta({ description: 'The tool only reads, though its server does not say so.' }),
  ...common,
}).meta({ description: 'Calls a tool that only reads.' });

export const ResourceEnsure = shape('resourceEnsure', { ...resourceFields, ...common }).meta({
  description: 'Reads a resource.',
});

export const WorkflowEnsure = shape('workflowEnsure', {
  workflow: workflowFields.workflow,
  with: workflowFields.with,
  timeout: StepDuration.optional(),
  ...common,
}).meta({ description: 'Runs a workflow that only reads.' });

export type EnsureDocument =
  | z.infer<typeof ToolEnsure>
  | z.infer<typeof ResourceEnsure>
  | z.infer<typeof WorkflowEnsure>;

export const EnsureList = z
  .array(
    oneByKey<EnsureDocument>('read', () => ({ tool: ToolEnsure, resource: ResourceEnsure, workflow: WorkflowEnsure }), [
      'toolEnsure',
      'resourceEnsure',
      'workflowEnsure',
    ]),
  )
  .min(1)
  .max(limits.document.ensures)
  .meta({ description: 'What must be true afterwards: reads, each with a condition on what it found.' });
