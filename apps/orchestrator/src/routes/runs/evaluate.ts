/** The route that evaluates an expression with the values of a run; nothing is changed. */
import { ProblemError, routes } from '@baton/api';
import { control, type Principal } from '@baton/control';
import { type Blobs, type RunEvent, evaluateAt, planFor, replay, startedPaths } from '@baton/engine';
import { didYouMean, EvaluationError, readExpression } from '@baton/expressions';
import type { Json } from '@baton/primitives';
import { BlobCache, withLoadedValues } from '@baton/runner';
import { getDefinition } from '@baton/store';

import type { App } from '../../http/edge.ts';
import { route } from '../../http/route.ts';
import { EvaluationTurns } from './evaluationTurns.ts';
import type { RunOptions } from './runs.ts';

interface Attempt {
  readonly expression: string;
  readonly step?: string | undefined;
  readonly after?: number | undefined;
}

export function evaluateRoute(
  app: App,
  { journal, clock, store, plans }: Pick<RunOptions, 'journal' | 'clock' | 'store' | 'plans'>,
): void {
  const turns = new EvaluationTurns(clock);
  route(app, routes.evaluateRun, async ({ params: { id }, principal, body }) =>
    turns.within(principal.id, (computing) => evaluate(id, principal, body, computing)),
  );

  async function evaluate(
    id: string,
    principal: Principal,
    { expression, step, after }: Attempt,
    computing: <Part>(work: () => Part) => Part,
  ) {
    const events = (await control.evaluateRun({ journal, clock }, principal, { id })).slice(0, after);
    const run = computing(() => replay(id, events));
    if (run.session !== undefined)
      throw new ProblemError('conflict', 'The steps of a session are calls of its client, and read no expressions.');
    if (step !== undefined) checkBegun(step, events);
    const [whole, definition] = await Promise.all([plans(run.definition), getDefinition(store, run.definition)]);
    const plan = planFor(whole, run);
    const place = { plan, runId: id, journal: events, path: step };
    const sources = { blobs: store.blobs, cache: new BlobCache(0), journal };
    const evaluated = (blobs: Blobs): Json => {
      try {
        return evaluateAt(place, readExpression(expression, definition?.edition), blobs);
      } catch (error) {
        throw error instanceof EvaluationError ? new ProblemError('validation-failed', error.message) : error;
      }
    };
    const value = await withLoadedValues(sources, id, (blobs) => computing(() => evaluated(blobs)));
    return { value };
  }
}

/** Throws `ProblemError`. */
function checkBegun(step: string, events: readonly RunEvent[]): void {
  const paths = startedPaths(events);
  if (paths.includes(step)) return;
  const hint = didYouMean(step, paths);
  const message = `No step ${JSON.stringify(step.slice(0, 80))} has begun by then.`;
  throw new ProblemError('validation-failed', message, {
    errors: [{ pointer: '/step', code: 'unknown-step', message, ...(hint && { hint }) }],
  });
}
