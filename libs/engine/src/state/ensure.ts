/** Where the `ensure` of a step, a group and a run is in the run's state, and how far it is. */
import type { Step } from '@baton/language';

import type { Failure } from '../failure.ts';
import type { Path } from './path.ts';
import type { StepState } from './step.ts';

/** The frame in which the `ensure` of an acting step runs, once the step has succeeded. */
export const ensureFrame = '@ensure';

/** Whether the `ensure` of a step that has succeeded is over. */
export const isEnsured = ({ ensure }: Step, state: StepState): boolean =>
  ensure === undefined ||
  ensure.steps.every(({ key }) => state.frames.get(ensureFrame)?.steps.get(key)?.status === 'succeeded');

/** Why what the step must ensure is not so; undefined: it is, or is not known yet. */
export function ensureFailure(state: StepState | undefined): Failure | undefined {
  const entries = state?.frames.get(ensureFrame)?.steps.values() ?? [];
  for (const entry of entries) if (entry.status === 'failed') return entry.failure;
  return undefined;
}

/** No id has a dot. */
const keyForm = /(?:^|\.)ensure\.\d+$/;

/** The path of the `ensure` that the step at `path` reads for. */
export function ensureAround(path: Path): Path | undefined {
  const segments = path.split('/');
  const at = segments.findIndex((segment) => keyForm.test(segment));
  return at < 0 ? undefined : segments.slice(0, at + 1).join('/');
}

/** Whether the path is that of an `ensure` of the whole run. */
export const isOfRun = (ensure: Path): boolean => /^ensure\.\d+$/.test(ensure);
