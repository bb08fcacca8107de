/** Webhooks: other services start runs with signed requests. */
import { getRun } from '@baton/store';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';

import type { HookOptions } from '../hooks/receive.ts';
import { receiveHook } from '../hooks/receive.ts';
import { asProblem } from '../http/asProblem.ts';
import type { App } from '../http/edge.ts';
import type { Figures } from '../http/figures.ts';
import { Accepted } from './startRuns.ts';

const Ignored = z
  .strictObject({ ignored: z.literal(true) })
  .meta({ id: 'Ignored', description: 'It is signed, and not one that the workflow is meant for.' });

/** Texts, so that what is no hook's name is a hook that does not exist. */
const ByName = z.strictObject({ workflow: z.string(), hook: z.string() });

export interface HookRouteOptions extends HookOptions {
  readonly figures: Pick<Figures, 'hook'>;
}

export function hookRoutes(app: App, options: HookRouteOptions): void {
  void app.register(async (raw: App) => {
    // The bytes as they came are what was signed.
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body);
    raw.addHook('onError', async (_request, _reply, error) => options.figures.hook(asProblem(error).name));
    raw.post(
      '/v1/hooks/:workflow/:hook',
      {
        config: {
          access: 'public',
          textBody: {
            description: 'Whatever the sender sends; JSON is read.',
            types: {
              'application/json': {},
              'application/x-www-form-urlencoded': { type: 'string' },
              'text/plain': { type: 'string' },
            },
          },
        },
        schema: {
          tags: ['Runs'],
          summary: 'Start a run by a webhook',
          description:
            'Signed as Standard Webhooks or GitHub do it, over the bytes of the body. Deliveries that come again start no second run. A hook that is not there and a signature that is wrong are answered alike.',
          params: ByName,
          querystring: z.record(z.string(), z.unknown()),
          response: { 200: Ignored, 202: Accepted },
        },
      },
      async (request, reply) => {
        const { params, headers, query } = request;
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const started = await receiveHook(options, { ...params, headers, query, body });
        options.figures.hook(started === undefined ? 'ignored' : started.isNew ? 'started' : 'repeated');
        if (started === undefined) return { ignored: true as const };
        const { runId: id, isNew } = started;
        if (!isNew) reply.header('idempotency-replayed', 'true');
        const status = isNew ? 'queued' : ((await getRun(options.store, id))?.status ?? 'queued');
        reply.code(202);
        return { id, status };
      },
    );
  });
}
