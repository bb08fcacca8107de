/** The outline of a deployed version, for a tree that shows what is to come; undefined where it cannot be had. */
import type { Client } from '@baton/api/client';
import { ProblemError } from '@baton/api/client';
import { checkWorkflow, compile } from '@baton/language';

import type { WorkflowOutline } from '../tree/outline.ts';
import { outlineOf } from '../tree/outline.ts';

export async function outlineOfVersion(
  client: Client,
  workflow: string,
  version: number,
): Promise<WorkflowOutline | undefined> {
  try {
    const { source } = await client.workflows.version(workflow, version);
    return outlineOfText(source);
  } catch (error) {
    // Deleted, or not for the eyes of this key: the tree does without.
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

/** Undefined where the text is no workflow, to this version of the language. */
export function outlineOfText(text: string): WorkflowOutline | undefined {
  const { workflow } = checkWorkflow(text);
  return workflow === undefined ? undefined : outlineOf(compile(workflow));
}
