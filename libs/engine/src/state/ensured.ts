/** What a run has ensured, or could not, for people and clients: every `ensure` that has begun. */
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
  /** When that was known. Epoch milliseconds. */
  readonly at: number | undefined;
}

export const ensuredIn = (steps: readonly TracedStep[]): readonly Ensured[] =>
  steps.flatMap(({ path, ensures, status, attempts }) =>
    ensures === undefined ? [] : [{ path, ...ensures, status, at: attempts.at(-1)?.endedAt }],
  );
