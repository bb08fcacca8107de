/** What the concurrency limit of a workflow means for a run that is accepted. */
import { ProblemError } from '@baton/api';
import { type RequestedTurn, requestedTurn } from '@baton/engine';
import { EvaluationError } from '@baton/expressions';
import type { Plan } from '@baton/language';
import type { JsonObject } from '@baton/primitives';

type Run = Parameters<typeof requestedTurn>[1];

/** Throws `ProblemError` if the key cannot be computed. */
export function turnToRequest(
  plan: Plan,
  run: Run,
  asked: { readonly inputs: JsonObject; readonly isDelayed?: boolean },
): RequestedTurn {
  try {
    return requestedTurn(plan, run, asked);
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    const message = `The concurrency key cannot be computed from these inputs: ${error.message}`;
    throw new ProblemError('validation-failed', message, {
      errors: [{ pointer: '/inputs', code: error.code, message }],
      cause: error,
    });
  }
}

/** `inTheWay`: an unfinished run that holds a turn. */
export function concurrencyFull(workflow: string, inTheWay: string): ProblemError {
  const name = JSON.stringify(workflow.slice(0, 80));
  const detail = `The concurrency limit of ${name} is reached for this key; run ${inTheWay} is unfinished.`;
  return new ProblemError('concurrency-full', detail);
}
