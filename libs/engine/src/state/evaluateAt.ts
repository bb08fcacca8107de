/** Evaluates an expression in a run, with the values that the expressions of a step read. */
import type { References, Scope } from '@baton/expressions';
import type { Plan } from '@baton/language';
import type { Json } from '@baton/primitives';

import type { RunEvent } from './event.ts';
import { replay } from './evolve.ts';
import { placeAt } from './locate.ts';
import type { Path } from './path.ts';
import { rootPlace, scopeAt } from './place.ts';
import type { Blobs } from './value.ts';

export interface ExpressionPlace {
  readonly plan: Plan;
  readonly runId: string;
  /** The whole journal, or a prefix of it for an earlier state of the run. */
  readonly journal: readonly RunEvent[];
  /** Path of a step that has begun; undefined: the root of the run, as for the outputs of the workflow. */
  readonly path: Path | undefined;
}

/**
 * At a step, the expression sees the run as it was when that step ended, or as it is now while the step is open: with
 * the step's own outcome, and the names of the item or handler around it. Secrets are masked. Throws `BlobsNeeded`, and
 * the errors of the expression.
 */
export function evaluateAt(
  { plan, runId, journal, path }: ExpressionPlace,
  expression: References & { evaluate(scope: Scope): Json },
  blobs: Blobs,
): Json {
  const run = replay(runId, journal.slice(0, eventsUntilOver(journal, path)));
  const place = path === undefined ? rootPlace(run, blobs, '@main') : placeAt(plan, run, path, blobs);
  return expression.evaluate(scopeAt(place, expression));
}

/** Number of events up to the step's end; all of them while it is open. */
function eventsUntilOver(journal: readonly RunEvent[], path: Path | undefined): number {
  if (path === undefined) return journal.length;
  const last = journal.findLastIndex((event) => 'path' in event && event.path === path && !isAfterEnd(event));
  const isOver = last >= 0 && endings.has(journal[last]?.type ?? 'run.claimed');
  return isOver ? last + 1 : journal.length;
}

const isAfterEnd = ({ type }: RunEvent): boolean => type === 'step.undone' || type === 'call.delivered';

const endings: ReadonlySet<RunEvent['type']> = new Set([
  'step.succeeded',
  'step.failed',
  'step.skipped',
  'step.cancelled',
]);
