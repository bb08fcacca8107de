/** Finished runs, once more: what was won is kept, and the answer tells what is done again. */
import type { Rerunning } from '@baton/api';
import { routes } from '@baton/api';
import type { FastifyRequest } from 'fastify';

import type { App } from '../../http/edge.ts';
import { route } from '../../http/route.ts';
import type { RerunOptions, RerunOrder } from '../../intake/rerun.ts';
import { rerun } from '../../intake/rerun.ts';
import { idempotencyOf } from '../../intake/starter.ts';
import { eventsFor } from './runs.ts';

export function rerunRoutes(app: App, options: RerunOptions): void {
  route(app, routes.retryRun, async (request, reply) => {
    const answer = await answered(options, request, { kind: 'retry' }, request.body ?? {});
    if (answer.id === undefined) return answer;
    reply.code(202).header('location', `/v1/runs/${answer.id}`);
    return answer;
  });
  route(app, routes.rerunRun, async (request, reply) => {
    const { from, inputs, preview: isPreview } = request.body ?? {};
    const wanted = { kind: 'rerun', from, inputs: inputs } as const;
    const answer = await answered(options, request, wanted, { from, inputs, preview: isPreview });
    if (answer.id === undefined) return answer;
    reply.code(202).header('location', `/v1/runs/${answer.id}`);
    return answer;
  });
}

type RerunRequest = Pick<FastifyRequest, 'headers' | 'principal'> & { readonly params: { readonly id: string } };

async function answered(
  options: RerunOptions,
  { params: { id: runId }, principal, headers }: RerunRequest,
  wanted: Pick<RerunOrder, 'kind' | 'from' | 'inputs'>,
  body: { readonly preview?: boolean | undefined; readonly from?: string | undefined; readonly inputs?: unknown },
): Promise<Rerunning> {
  const journal = await eventsFor(options.journal, runId, principal);
  const request = { run: runId, kind: wanted.kind, body: JSON.stringify(body) };
  const idempotency = idempotencyOf(headers['idempotency-key'], principal.id, request);
  const order = { ...wanted, journal, runId, principal, isPreview: body.preview === true, idempotency };
  const { runId: id, kept } = await rerun(options, order);
  const isKept = kept.events.filter((event) => 'kept' in event);
  return {
    ...(id === undefined ? {} : { id, status: 'queued' }),
    rerunOf: runId,
    kept: isKept.length,
    again: kept.again.map(({ path, verb, target, effect, outcome }) => ({
      path,
      verb,
      ...(target === undefined ? {} : { target }),
      ...(effect === undefined ? {} : { effect }),
      outcome,
    })),
  };
}
