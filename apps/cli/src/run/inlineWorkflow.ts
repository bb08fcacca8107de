/** Prepares a workflow file to be run without deploying it. */
import { type Client, ProblemError } from '@baton/api/client';
import { compile } from '@baton/language';
import type { JsonObject, JsonSchema } from '@baton/primitives';

import { checkFile } from '../check/checkFile.ts';
import { checkWrongFile } from '../check/checkWrongFile.ts';
import { printFindings } from '../check/printFindings.ts';
import type { Context } from '../context.ts';
import { type WorkflowOutline, outlineOf } from '../tree/outline.ts';
import { type WorkflowFile, readWorkflowFile } from '../workflowFiles.ts';

export interface InlineWorkflow {
  readonly file: WorkflowFile;
  readonly workflow: JsonObject;
  readonly inputs: JsonSchema;
  readonly outline: WorkflowOutline;
}

/** Prints its findings; `refused` if one is an error. Rejects with `CommandError`. */
export async function readInlineWorkflow(context: Context, name: string): Promise<InlineWorkflow | 'refused'> {
  const { stderr } = context;
  const file = await readWorkflowFile(context, name);
  const { workflow, findings } = checkFile(file.name, file.text);
  if (workflow === undefined) {
    printFindings(stderr, file.name, await checkWrongFile(stderr, () => context.client(), file, findings));
    return 'refused';
  }
  printFindings(stderr, file.name, findings);
  const plan = compile(workflow);
  return { file, workflow: workflow as JsonObject, inputs: plan.inputs, outline: outlineOf(plan, file.text) };
}

/**
 * Prints the server's findings with their places in the file, which the API does not know, because it got JSON. True if
 * there were any.
 */
export async function printRefusal(
  { stderr }: Context,
  client: Client,
  { name, text }: WorkflowFile,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof ProblemError) || error.status !== 422) return false;
  const { findings } = await client.workflows.check(text, { servers: true });
  if (!findings.some(({ severity }) => severity === 'error')) return false;
  printFindings(stderr, name, findings);
  return true;
}
