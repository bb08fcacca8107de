/** Routes of runs: list, show, cancel. */
import { routes, ProblemError, instant, limitUsual } from '@baton/api';
import {
  cancelRun,
  type RunAppender,
  checkEndingEffectsOf,
  isRunOf,
  maySee,
  type Principal,
  FoldedRuns,
  listedRun,
  runFilterOf,
  type RunView,
} from '@baton/control';
import type { Run, RunEvent } from '@baton/engine';
import type { Clock, Journal, Plans } from '@baton/runner';
import { type Store, createdAtOf, isRunId, listRuns, usesBlob } from '@baton/store';

import type { App } from '../../http/edge.ts';
import { Cursors } from '../../http/parameters.ts';
import { route } from '../../http/route.ts';

export interface RunOptions extends RunAppender {
  readonly store: Store;
  readonly plans: Plans;
  readonly view: RunView;
}

export function runRoutes(app: App, options: RunOptions): void {
  listRoute(app, options);
  showRoutes(app, options);
  cancelRoute(app, options);
}

function listRoute(app: App, { store }: RunOptions): void {
  route(app, routes.listRuns, async ({ query: { limit = limitUsual, cursor, ...asked }, principal }) => {
    const cursors = new Cursors('runs', asked);
    const after = cursors.read(cursor, isRunId);
    const filter = runFilterOf(asked, principal);
    const { runs, next } = await listRuns(store, filter, { limit, ...(after === undefined ? {} : { after }) });
    return { data: runs.map(listedRun), ...(next === undefined ? {} : { nextCursor: cursors.write(next) }) };
  });
}

function showRoutes(app: App, { journal, clock, store, view }: RunOptions): void {
  const folds = new FoldedRuns(journal);
  route(app, routes.getRun, async ({ params: { id }, principal }) => {
    const fold = isRunId(id) ? await folds.find(id) : undefined;
    if (fold === undefined || !maySee(principal, fold.run.workflow)) throw runNotFound(id, clock);
    return view.ofFold(fold);
  });
  route(app, routes.getRunValue, async ({ params: { id, sha256 }, principal }, reply) => {
    const events = await eventsFor({ journal, clock }, id, principal);
    // Runs share blobs by digest: a client that may see this run may not see every blob.
    const isNamed = events.some((event) => JSON.stringify(event).includes(sha256));
    const isItsOwn = isNamed && (await usesBlob(store, id, sha256));
    const text = isItsOwn ? await store.blobs.get(sha256) : undefined;
    if (text === undefined) throw new ProblemError('not-found', 'The run has no such value, or it is no longer kept.');
    return reply.type('application/json').serializer(asIs).send(text);
  });
}

const asIs = (text: unknown): string => String(text);

function cancelRoute(app: App, options: RunOptions): void {
  route(app, routes.cancelRun, async (request, reply) => {
    const { id } = request.params;
    const { principal } = request;
    const asked = { by: principal.by, reason: request.body?.reason };
    const isTheirs = await isRunOf(options, id, principal, checkEndingEffectsOf);
    const run: Run | undefined = isTheirs ? await cancelRun(options, id, asked) : undefined;
    if (run === undefined) throw runNotFound(id, options.clock);
    reply.code(202);
    return { id, status: run.status, cancelRequested: true as const };
  });
}

/** The journal of a run that the key may see. Rejects with `ProblemError` and `UnavailableError`. */
export async function eventsFor(
  { journal, clock }: { readonly journal: Journal; readonly clock: Clock },
  id: string,
  principal: Principal,
): Promise<readonly RunEvent[]> {
  const opened = isRunId(id) ? await journal.open(id) : undefined;
  const [first] = opened?.events ?? [];
  const isTheirs = first?.type === 'run.requested' && maySee(principal, first.workflow);
  if (opened === undefined || !isTheirs) throw runNotFound(id, clock);
  return opened.events;
}

export function runNotFound(id: string, clock: Clock): ProblemError {
  const hint = isRunId(id) && createdAtOf(id) < clock.now() - leastKeptMs ? ` ${mayBeRemoved(id)}` : '';
  return new ProblemError('not-found', `There is no run ${JSON.stringify(id.slice(0, 80))}.${hint}`);
}

/** Retention removes no run that is younger. */
const leastKeptMs = 3_600_000;

const mayBeRemoved = (id: string): string =>
  `A run of ${instant(createdAtOf(id))} would have been removed by now: GET /v1/retention shows the periods.`;
