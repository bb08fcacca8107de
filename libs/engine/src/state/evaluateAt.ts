/** What an expression would give in a run: it reads the values that the expressions of a step read. */
import type { Json, Plan, References, Scope } from '@baton/language';

import { rootPlace, scopeAt } from '../decide/place.ts';
import type { RunEvent } from './event.ts';
import { replay } from './evolve.ts';
import { placeAt } from './locate.ts';
import type { Path } from './path.ts';
import type { Blobs } from './value.ts';

export interface ExpressionPlace {
  readonly plan: Plan;
  readonly runId: string;
  /** The whole journal, or its beginning: the run as it was then. */
  readonly journal: readonly RunEvent[];
  /** Of a step that has begun; absent: of none, as in the outputs of the workflow. */
  readonly path: Path | undefined;
}

/**
 * At a step: as the run was when that step was over, or is now while it is not. Its own outcome is there, and so are the
 * names of the item or handler around it, which a run forgets later. Secrets are masked. Throws `BlobsNeeded`, and what
 * the expression throws.
 */
export function evaluateAt(
  { plan, runId, journal, path }: ExpressionPlace,
  expression: References & { evaluate(scope: Scope): Json },
  blobs: Blobs,
): Json {
  const run = replay(runId, journal.slice(0, endOf(journal, path)));
  const place = path === undefined ? rootPlace(run, blobs, '@main') : placeAt(plan, run, path, blobs);
  return expression.evaluate(scopeAt(place, expression));
}

/** Number of events until the step was over. */
function endOf(journal: readonly RunEvent[], path: Path | undefined): number {
  if (path === undefined) return journal.length;
  const last = journal.findLastIndex((event) => 'path' in event && event.path === path && !isAfterwards(event));
  const isOver = last >= 0 && endings.has(journal[last]?.type ?? 'run.claimed');
  return isOver ? last + 1 : journal.length;
}

const isAfterwards = ({ type }: RunEvent): boolean => type === 'step.undone' || type === 'call.delivered';

const endings: ReadonlySet<RunEvent['type']> = new Set([
  'step.succeeded',
  'step.failed',
  'step.skipped',
  'step.cancelled',
]);
