/** `whenFull: reject`: refuses a run if its concurrency limit is reached. */
import { ProblemError } from '@baton/api';
import type { Turn } from '@baton/engine';
import { turnOf } from '@baton/engine';
import type { JsonObject, Plan } from '@baton/language';
import { EvaluationError } from '@baton/language';

type TurnInputs = Parameters<typeof turnOf>[1];

/**
 * The concurrency turn that the run must get at once; undefined if it may wait for one, or needs none. A delayed run
 * waits, because its client is gone when it begins. Throws `ProblemError` if the key cannot be computed.
 */
export function turnAtOnce(
  plan: Plan,
  run: TurnInputs,
  { inputs, isDelayed }: { readonly inputs: JsonObject; readonly isDelayed: boolean },
): Turn | undefined {
  try {
    const turn = turnOf(plan, run, inputs);
    return turn?.whenFull === 'reject' && !isDelayed ? turn : undefined;
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
