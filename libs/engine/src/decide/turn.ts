/** Computes which runs share a concurrency limit. */
import type { Concurrency, Json, JsonObject, Plan } from '@baton/language';

import type { Run } from '../state/run.ts';

export interface Turn {
  readonly workflow: string;
  /** Given inline: it does not count together with a deployed workflow of the same name. */
  readonly isInline: boolean;
  readonly key: Json;
  readonly limit: number;
  readonly whenFull: Concurrency['whenFull'];
}

/**
 * Undefined for a run without a concurrency limit. An item of a distributed `forEach` runs within the turn of its
 * parent. Throws `EvaluationError`.
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
