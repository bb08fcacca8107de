/** Computes which runs share a concurrency limit. */
import type { Concurrency, Plan } from '@baton/language';
import type { Json, JsonObject } from '@baton/primitives';

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

/** What a run needs when it is accepted: a turn at once, or a place in the line for one. */
export interface RequestedTurn {
  /** The run is refused without it. */
  readonly turn?: Turn;
  readonly line?: Turn;
}

/**
 * Empty for a run without a limit, and for one that replaces older ones: the newest begins, whichever is seen first. A
 * delayed run waits, because its client is gone when it begins. Throws `EvaluationError`.
 */
export function requestedTurn(
  plan: Pick<Plan, 'concurrency'>,
  run: Parameters<typeof turnOf>[1],
  { inputs, isDelayed = false }: { readonly inputs: JsonObject; readonly isDelayed?: boolean },
): RequestedTurn {
  const turn = turnOf(plan, run, inputs);
  if (turn === undefined || turn.whenFull === 'replace') return {};
  return turn.whenFull === 'reject' && !isDelayed ? { turn } : { line: turn };
}
