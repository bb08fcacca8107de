/** What a run has ensured, or could not, for people and clients: every `ensure` that has begun. */
import { defined } from '@baton/primitives';

import type { Failure } from '../failure.ts';
import type { Path } from './path.ts';
import type { StepStatus } from './step.ts';
import type { TracedStep } from './trace.ts';

export interface Ensured {
  readonly path: Path;
  /** The condition, as it is written. */
  readonly that: string;
  /** What was read: `github/get_issue`. */
  readonly read: string;
  /** `succeeded`: it was true. */
  readonly status: StepStatus;
  /** Why it is not: `not-achieved` or `not-verified`. */
  readonly failure?: Failure;
  /** When that was known. Epoch milliseconds. */
  readonly at: number | undefined;
}

export const ensuredIn = (steps: readonly TracedStep[]): readonly Ensured[] =>
  steps.flatMap(({ path, ensures, status, failure, attempts }) =>
    ensures === undefined ? [] : [{ path, ...ensures, status, ...defined({ failure }), at: attempts.at(-1)?.endedAt }],
  );

const ownForm = /^(.*)\/@ensure\/ensure\.\d+$/;

/**
 * The steps as people should see them: one that did its work, and whose `ensure` is not true or could not be read, has
 * failed, as its `status` in expressions says.
 */
export function asEnsured(steps: readonly TracedStep[]): readonly TracedStep[] {
  const failures = new Map<Path, Failure>();
  for (const { path, failure } of steps) {
    const owner = failure === undefined ? undefined : ownForm.exec(path)?.[1];
    if (owner !== undefined && failure !== undefined && !failures.has(owner)) failures.set(owner, failure);
  }
  if (failures.size === 0) return steps;
  return steps.map((step) => {
    const failure = step.status === 'succeeded' ? failures.get(step.path) : undefined;
    return failure === undefined ? step : { ...step, status: 'failed', failure };
  });
}
