/** Routes of runs: list, show, cancel. */
import { limitUsual, routes } from '@baton/api';
import { control, FoldedRuns, listedRun, type RunAppender, type RunView } from '@baton/control';
import { defined } from '@baton/primitives';
import type { Plans } from '@baton/runner';
import { type Store, isRunId } from '@baton/store';

import type { App } from '../../http/edge.ts';
import { Cursors } from '../../http/parameters.ts';
import { route, serve } from '../../http/route.ts';

export interface RunOptions extends RunAppender {
  readonly store: Store;
  readonly plans: Plans;
  readonly view: RunView;
}

export function runRoutes(app: App, options: RunOptions): void {
  const { store, journal, clock, view } = options;
  route(app, routes.listRuns, async ({ query: { limit = limitUsual, cursor, ...filter }, principal }) => {
    const cursors = new Cursors('runs', filter);
    const page = { limit, ...defined({ after: cursors.read(cursor, isRunId) }) };
    const { runs, next } = await control.listRuns({ store }, principal, { filter, page });
    return { data: runs.map(listedRun), ...(next === undefined ? {} : { nextCursor: cursors.write(next) }) };
  });
  serve(
    app,
    control.getRun,
    { folds: new FoldedRuns(journal), clock },
    { input: ({ params }) => params, answer: (fold) => view.ofFold(fold) },
  );
  serve(app, control.getRunValue, options, {
    input: ({ params }) => params,
    answer: (text, reply) => reply.type('application/json').serializer(asIs).send(text),
  });
  serve(app, control.cancelRun, options, {
    input: ({ params: { id }, body }) => ({ id, reason: body?.reason }),
    answer: ({ status }, reply, { params: { id } }) => {
      reply.code(202);
      return { id, status, cancelRequested: true as const };
    },
  });
}

const asIs = (text: unknown): string => String(text);
