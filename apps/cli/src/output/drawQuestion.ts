/** Formats a question for a terminal: its message, and the call that it is about. */
import type { Client, Question } from '@baton/api/client';
import { askedCallOf, ProblemError } from '@baton/api/client';

import type { Output } from './output.ts';
import { drawAskedCall } from './stepValues.ts';
import { oneLine, wrap } from './text.ts';

/** Rejects with `UnreachableError`. */
export async function drawQuestion(output: Output, client: Client, question: Question): Promise<string[]> {
  const call = await askedCallOf(client, question).catch((error: unknown) => {
    // A key may have the right to answer, and not to read the run.
    if (error instanceof ProblemError) return null;
    throw error;
  });
  const lines = wrap(oneLine(question.message), output.columns() ?? Number.POSITIVE_INFINITY);
  return [...lines.map(output.paint.bold), ...(call === null ? [] : drawAskedCall(call, output))];
}
