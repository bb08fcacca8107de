/** Routes of retry and rerun: the new run keeps successful outcomes, and the answer lists what it executes again. */
import type { RerunResult } from '@baton/api';
import { control, idempotencyOf, type RerunOptions, shownRerun } from '@baton/control';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { App } from '../../http/edge.ts';
import { serve } from '../../http/route.ts';

type Begun = Parameters<typeof shownRerun>[1];

export function rerunRoutes(app: App, options: RerunOptions): void {
  serve(app, control.retryRun, options, {
    input: (request) => {
      const { version, preview } = request.body ?? {};
      const idempotency = keyOf(request, 'retry', request.body ?? {});
      return { id: request.params.id, version, isPreview: preview === true, idempotency };
    },
    answer: answerOf,
  });
  serve(app, control.rerunRun, options, {
    input: (request) => {
      const { from, inputs, version, preview } = request.body ?? {};
      const idempotency = keyOf(request, 'rerun', { from, inputs, version, preview });
      return { id: request.params.id, from, inputs, version, isPreview: preview === true, idempotency };
    },
    answer: answerOf,
  });
}

type RerunRequest = Pick<FastifyRequest, 'headers' | 'principal'> & { readonly params: { readonly id: string } };

const keyOf = ({ params, principal, headers }: RerunRequest, kind: string, body: object) =>
  idempotencyOf(headers['idempotency-key'], principal.id, { run: params.id, kind, body: JSON.stringify(body) });

function answerOf(begun: Begun, reply: FastifyReply, { params: { id } }: Pick<RerunRequest, 'params'>): RerunResult {
  if (begun.runId !== undefined) reply.code(202).header('location', `/v1/runs/${begun.runId}`);
  return shownRerun(id, begun);
}
