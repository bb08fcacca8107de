/** Finished runs, once more: what was won is kept, and the answer tells what is done again. */
import type { Json } from '@baton/language';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';

import type { Access, App } from '../http/edge.ts';
import { isStorableText } from '../http/jsonLimits.ts';
import type { RerunOptions, RerunOrder } from '../intake/rerun.ts';
import { rerun } from '../intake/rerun.ts';
import { idempotencyOf } from '../intake/starter.ts';
import { RunStatuses } from '../shapes/run.ts';
import { AnyValue, RunId } from '../shapes/values.ts';
import { ById, eventsFor } from './runs.ts';
import { Headers } from './startRuns.ts';

const tags = ['Runs'];
const access: Access = ['runs:write'];

const preview = z.boolean().optional().meta({ description: 'Only tell what would be done again.' });

const RetryBody = z.strictObject({ preview }).meta({ id: 'Retry' });

const RerunBody = z
  .strictObject({
    from: z
      .string()
      .min(1)
      .max(1_000)
      .refine(isStorableText, 'well-formed text without NUL')
      .optional()
      .meta({ description: 'Path of the step from which on everything is done again. Absent: all of it is.' }),
    inputs: z.record(z.string(), AnyValue).optional().meta({ description: 'In place of those of the run.' }),
    preview,
  })
  .meta({ id: 'Rerun' });

const Again = z
  .strictObject({
    path: z.string(),
    verb: z.enum(['tool', 'prompt', 'resource', 'sample']),
    target: z.string().optional(),
    effect: z.enum(['read', 'idempotent', 'write']).optional(),
    outcome: z
      .enum(['succeeded', 'failed', 'unknown', 'cancelled'])
      .meta({ description: 'What became of it in the old run; `unknown`: it may have happened.' }),
  })
  .meta({
    id: 'RepeatedCall',
    description: 'A call of the old run that is made again, should the new run come to it.',
  });

const Answer = z
  .strictObject({
    id: RunId.optional().meta({ description: 'Of the new run; absent for a preview.' }),
    status: RunStatuses.optional(),
    rerunOf: RunId,
    kept: z.int().meta({ description: 'Steps whose outcomes are kept.' }),
    again: z.array(Again),
  })
  .meta({ id: 'Rerunning' });

const answers = { 200: Answer.meta({ description: 'A preview.' }), 202: Answer };

export function rerunRoutes(app: App, options: RerunOptions): void {
  app.post(
    '/v1/runs/:id/retry',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Retry a run that failed or was cancelled',
        description: 'A new run, of the same version with the same inputs, that begins with the outcomes already won.',
        params: ById,
        headers: Headers,
        body: RetryBody.nullish(),
        response: answers,
      },
    },
    async (request, reply) => {
      const answer = await answered(options, request, { kind: 'retry' }, request.body ?? {});
      if (answer.id === undefined) return answer;
      reply.code(202).header('location', `/v1/runs/${answer.id}`);
      return answer;
    },
  );
  app.post(
    '/v1/runs/:id/rerun',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Do a run again, from a step on',
        description: 'A new run, of the same version, that begins with what was won before that step.',
        params: ById,
        headers: Headers,
        body: RerunBody.nullish(),
        response: answers,
      },
    },
    async (request, reply) => {
      const { from, inputs, preview: isPreview } = request.body ?? {};
      const wanted = { kind: 'rerun', from, inputs: inputs as Json | undefined } as const;
      const answer = await answered(options, request, wanted, { from, inputs, preview: isPreview });
      if (answer.id === undefined) return answer;
      reply.code(202).header('location', `/v1/runs/${answer.id}`);
      return answer;
    },
  );
}

type Asked = Pick<FastifyRequest, 'headers' | 'principal'> & { readonly params: { readonly id: string } };

async function answered(
  options: RerunOptions,
  { params: { id: runId }, principal, headers }: Asked,
  wanted: Pick<RerunOrder, 'kind' | 'from' | 'inputs'>,
  body: { readonly preview?: boolean | undefined; readonly from?: string | undefined; readonly inputs?: unknown },
): Promise<z.infer<typeof Answer>> {
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
