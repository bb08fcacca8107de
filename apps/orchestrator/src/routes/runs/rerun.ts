/** Routes of retry and rerun: the new run keeps successful outcomes, and the answer lists what it executes again. */
import { type RerunResult, routes } from '@baton/api';
import { type RerunOptions, rerun, type RerunOrder, idempotencyOf, shownRerun } from '@baton/control';
import type { FastifyRequest } from 'fastify';

import type { App } from '../../http/edge.ts';
import { route } from '../../http/route.ts';
import { eventsFor } from './runs.ts';

export function rerunRoutes(app: App, options: RerunOptions): void {
  route(app, routes.retryRun, async (request, reply) => {
    const body = request.body ?? {};
    const answer = await answerRerun(options, request, { kind: 'retry', version: body.version }, body);
    if (answer.id === undefined) return answer;
    reply.code(202).header('location', `/v1/runs/${answer.id}`);
    return answer;
  });
  route(app, routes.rerunRun, async (request, reply) => {
    const { from, inputs, version, preview } = request.body ?? {};
    const wanted = { kind: 'rerun', from, inputs, version } as const;
    const answer = await answerRerun(options, request, wanted, { from, inputs, version, preview });
    if (answer.id === undefined) return answer;
    reply.code(202).header('location', `/v1/runs/${answer.id}`);
    return answer;
  });
}

type RerunRequest = Pick<FastifyRequest, 'headers' | 'principal'> & { readonly params: { readonly id: string } };

async function answerRerun(
  options: RerunOptions,
  { params: { id: runId }, principal, headers }: RerunRequest,
  wanted: Pick<RerunOrder, 'kind' | 'from' | 'inputs' | 'version'>,
  body: { readonly preview?: boolean | undefined; readonly [field: string]: unknown },
): Promise<RerunResult> {
  const journal = await eventsFor(options, runId, principal);
  const request = { run: runId, kind: wanted.kind, body: JSON.stringify(body) };
  const idempotency = idempotencyOf(headers['idempotency-key'], principal.id, request);
  const order = { ...wanted, journal, runId, principal, isPreview: body.preview === true, idempotency };
  return shownRerun(runId, await rerun(options, order));
}
