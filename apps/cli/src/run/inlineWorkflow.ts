/** A workflow file that is run without being deployed. */
import type { JsonObject, JsonSchema } from '@baton/language';
import { compile } from '@baton/language';

import { checkFile } from '../check/checkFile.ts';
import { printFindings } from '../check/printFindings.ts';
import type { Context } from '../context.ts';
import type { Outline } from '../tree/outline.ts';
import { outlineOf } from '../tree/outline.ts';
import { readWorkflowFile } from '../workflowFiles.ts';

export interface InlineWorkflow {
  readonly workflow: JsonObject;
  readonly inputs: JsonSchema;
  readonly outline: Outline;
}

/** Says what is wrong with it; `refused` where that is an error. Rejects with `CommandError`. */
export async function readInlineWorkflow(context: Context, name: string): Promise<InlineWorkflow | 'refused'> {
  const file = await readWorkflowFile(context, name);
  const { workflow, findings } = checkFile(file.name, file.text);
  printFindings(context.stderr, file.name, findings);
  if (workflow === undefined) return 'refused';
  const plan = compile(workflow);
  return { workflow: workflow as JsonObject, inputs: plan.inputs, outline: outlineOf(plan) };
}
