/** Routes of runs: list, count, show, cancel, wake, go on; and of many runs at once. */
import type { ManyRuns, RerunResult } from '@baton/api';
import {
  control,
  FoldedRuns,
  idempotencyOf,
  listedRun,
  type RefusedRun,
  type RerunOptions,
  type RunAppender,
  type RunView,
  shownRerun,
  shownUndo,
  type UndoOptions,
} from '@baton/control';
import type { Clock, Plans } from '@baton/runner';
import { type Store, isRunId } from '@baton/store';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { asProblem } from '../../http/asProblem.ts';
import type { App } from '../../http/edge.ts';
import { serve, serveAsIs, serveList } from '../../http/route.ts';

export interface RunOptions extends RunAppender {
  readonly store: Store;
  readonly plans: Plans;
  readonly view: RunView;
}

export function runRoutes(app: App, options: RunOptions): void {
  const { journal, clock, view } = options;
  serveList(app, control.listRuns, options, { list: 'runs', isPlace: isRunId, shown: listedRun });
  serve(
    app,
    control.getRun,
    { folds: new FoldedRuns(journal), journal, clock },
    { input: ({ params }) => params, answer: (fold) => view.seen(fold) },
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
  serve(app, control.signalRun, options, {
    input: ({ params, body }) => ({ ...params, payload: body?.payload ?? null, pointer: '?name' }),
    answer: ({ status, seq }, reply, { params: { id, name } }) => {
      reply.code(202);
      return { id, status, signal: name, seq };
    },
  });
}

interface StatisticsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly plans: Plans;
}

export function runStatisticsRoutes(app: App, options: StatisticsOptions): void {
  serve(app, control.getRunHistogram, options, { input: ({ query }) => query, answer: (histogram) => histogram });
  serve(app, control.getFailureCauses, options, { input: ({ query }) => query, answer: (causes) => causes });
  serve(app, control.listUnknownOutcomes, options, { input: ({ query }) => query, answer: (outcomes) => outcomes });
  serve(app, control.getCosts, options, { input: ({ query }) => query, answer: (costs) => costs });
  serveAsIs(app, control.getWorkflowStats, options);
}

export function manyRunRoutes(app: App, options: RerunOptions): void {
  serve(app, control.cancelRuns, options, { input: ({ body }) => body, answer: shownMany });
  serve(app, control.retryRuns, options, {
    input: ({ body, headers }) => ({ ...body, key: headers['idempotency-key'] }),
    answer: shownMany,
  });
}

/** With the refusals as problems. */
function shownMany({ refused, ...done }: Omit<ManyRuns, 'refused'> & { refused?: readonly RefusedRun[] }): ManyRuns {
  const shown = refused?.map(({ id, error }) => {
    const { code, detail } = asProblem(error);
    return { id, code, detail };
  });
  return { ...done, ...(shown && { refused: shown }) };
}

type Begun = Parameters<typeof shownRerun>[1];

/** The new run keeps successful outcomes, and the answer lists what it executes again. */
export function rerunRoutes(app: App, options: RerunOptions): void {
  serve(app, control.retryRun, options, {
    input: (request) => {
      const { version, preview, retriedAs, told } = request.body ?? {};
      const idempotency = keyOf(request, 'retry', request.body ?? {});
      return { id: request.params.id, version, retriedAs, told, isPreview: preview === true, idempotency };
    },
    answer: shownBegun,
  });
  serve(app, control.rerunRun, options, {
    input: (request) => {
      const { from, inputs, version, preview } = request.body ?? {};
      const idempotency = keyOf(request, 'rerun', { from, inputs, version, preview });
      return { id: request.params.id, from, inputs, version, isPreview: preview === true, idempotency };
    },
    answer: shownBegun,
  });
}

export function undoRoute(app: App, options: UndoOptions): void {
  serve(app, control.undoRun, options, {
    input: ({ params: { id }, body }) => ({ id, isPreview: body?.preview === true }),
    answer: (undo, reply, { params: { id }, body }) => {
      if (body?.preview !== true) reply.code(202).header('location', `/v1/runs/${undo.runId}`);
      return shownUndo(id, undo);
    },
  });
}

type RerunRequest = Pick<FastifyRequest, 'headers' | 'principal'> & { readonly params: { readonly id: string } };

const keyOf = ({ params, principal, headers }: RerunRequest, kind: string, body: object) =>
  idempotencyOf(headers['idempotency-key'], principal.id, { run: params.id, kind, body: JSON.stringify(body) });

function shownBegun(begun: Begun, reply: FastifyReply, { params: { id } }: Pick<RerunRequest, 'params'>): RerunResult {
  if (begun.runId !== undefined) reply.code(202).header('location', `/v1/runs/${begun.runId}`);
  return shownRerun(id, begun);
}

const asIs = (text: unknown): string => String(text);
