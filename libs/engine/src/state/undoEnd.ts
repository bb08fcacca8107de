/** How the `undo` of a step ended, read from the steps inside it. `step.undone` says only that it is over. */
import { notVerified } from '../failure.ts';
import type { Path } from './path.ts';
import type { StepStatus } from './step.ts';

export type UndoEnd =
  | 'undone'
  /** It was refused, or answered an error: what the step did is still there. */
  | 'failed'
  /** Its call was sent, and its answer is lost; or what it must `ensure` could not be read. */
  | 'unknown'
  /** Its `if` was false: nothing was called. */
  | 'skipped';

/** What the end means for what the step did. */
export const undoWords: Readonly<Record<UndoEnd, string>> = {
  undone: 'was undone',
  failed: 'could not be undone',
  unknown: 'may or may not have been undone',
  skipped: 'was not undone: its undo was skipped',
};

interface UndoStep {
  readonly path: Path;
  readonly status: StepStatus;
  readonly failure?: { readonly code: string };
}

/** `inside`: the steps of the undo that have begun. A failure that has a handler counts by what the handler did. */
export function undoEndOf(inside: readonly UndoStep[]): UndoEnd {
  if (inside.length > 0 && inside.every(({ status }) => status === 'skipped')) return 'skipped';
  const open = inside.filter((step) => isLost(step) && !isHandled(step, inside));
  if (open.length === 0) return 'undone';
  return open.some(isUnknown) ? 'unknown' : 'failed';
}

const isLost = ({ status }: UndoStep): boolean => status === 'failed' || status === 'unknown' || status === 'cancelled';

const isUnknown = ({ status, failure }: UndoStep): boolean => status === 'unknown' || failure?.code === notVerified;

const isHandled = ({ path }: UndoStep, inside: readonly UndoStep[]): boolean =>
  inside.some((other) => other.path.startsWith(`${path}/@onError/`));

const undoFrame = '/@undo/';

/** The path of the step whose undo the step at `path` belongs to. */
export function undoneBy(path: Path): Path | undefined {
  const at = path.indexOf(undoFrame);
  return at < 0 ? undefined : path.slice(0, at);
}
