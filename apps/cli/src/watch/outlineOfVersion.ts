/** Reads the outline of a deployed version, for pending steps in the tree; undefined if it is not available. */
import { type Client, ProblemError } from '@baton/api/client';
import { checkWorkflow, compile } from '@baton/language';

import { type WorkflowOutline, outlineOf } from '../tree/outline.ts';

export async function outlineOfVersion(
  client: Client,
  workflow: string,
  version: number,
): Promise<WorkflowOutline | undefined> {
  try {
    const { source } = await client.workflows.version(workflow, version);
    return outlineOfText(source);
  } catch (error) {
    // Deleted, or not visible to this key: the tree works without it.
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

/** Undefined if this version of the language cannot read the text. */
export function outlineOfText(text: string): WorkflowOutline | undefined {
  const { workflow } = checkWorkflow(text);
  return workflow === undefined ? undefined : outlineOf(compile(workflow), text);
}
