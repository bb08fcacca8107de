/** Which runs count together, so that only so many of them go on at once. */
import type { Concurrency, Json, JsonObject, Plan } from '@baton/language';

import type { Run } from '../state/run.ts';

export interface Turn {
  readonly workflow: string;
  /** Given inline: it does not count with a deployed workflow of the same name. */
  readonly isInline: boolean;
  readonly key: Json;
  readonly limit: number;
  readonly whenFull: Concurrency['whenFull'];
}

/**
 * Undefined for a run that waits for no other. One that is an item of another goes on within that one's turn.
 * Throws `EvaluationError`.
 */
export function turnOf(
  { concurrency }: Pick<Plan, 'concurrency'>,
  {
    workflow,
    version,
    part,
  }: Pick<Run, 'workflow'> & { readonly version?: number | undefined; readonly part?: unknown },
  inputs: JsonObject,
): Turn | undefined {
  if (concurrency === undefined || part !== undefined) return undefined;
  const { key, limit, whenFull } = concurrency;
  return { workflow, isInline: version === undefined, key: key.evaluate({ inputs }), limit, whenFull };
}
