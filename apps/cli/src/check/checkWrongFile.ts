/** Completes the findings of a file that the offline check refused, so that its author sees all errors at once. */
import { type Client, ProblemError, UnreachableError } from '@baton/api/client';
import type { Finding } from '@baton/language';

import { CommandError } from '../commandError.ts';
import type { Output } from '../output/output.ts';
import type { WorkflowFile } from '../workflowFiles.ts';

/** `offline`: the findings of the offline check. If Baton does not answer, prints the reason and resolves to these. */
export async function checkWrongFile(
  stderr: Output,
  client: () => Promise<Client>,
  { name, text }: WorkflowFile,
  offline: readonly Finding[],
): Promise<readonly Finding[]> {
  try {
    const { findings } = await (await client()).workflows.check(text, { servers: true });
    // A server of another version may find nothing wrong.
    return findings.some(({ severity }) => severity === 'error') ? findings : offline;
  } catch (error) {
    const isAnswer = error instanceof ProblemError || error instanceof UnreachableError;
    if (!isAnswer && !(error instanceof CommandError)) throw error;
    stderr.line(`${name} was not checked against the servers: ${error.message}`);
    return offline;
  }
}
