/** The routes of webhooks: other services start runs with signed requests. */
import { routes } from '@baton/api';
import { getRun } from '@baton/store';
import type { FastifyRequest } from 'fastify';

import type { DeliveryNotes } from '../../hooks/deliveryNotes.ts';
import type { HookOptions } from '../../hooks/receive.ts';
import { receiveHook } from '../../hooks/receive.ts';
import { asProblem } from '../../http/asProblem.ts';
import type { App } from '../../http/edge.ts';
import type { HttpMetrics } from '../../http/httpMetrics.ts';
import { route } from '../../http/route.ts';

export interface HookRouteOptions extends HookOptions {
  readonly httpMetrics: Pick<HttpMetrics, 'hook'>;
  readonly notes: DeliveryNotes;
}

export function hookRoutes(app: App, options: HookRouteOptions): void {
  void app.register(async (raw: App) => {
    // The signature covers the exact bytes.
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body);
    raw.addHook('onError', async (_request, _reply, error) => options.httpMetrics.hook(asProblem(error).code));
    route(raw, routes.receiveHook, async (request, reply) => {
      const { params, headers, query } = request;
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const started = await receiveHook(options, { ...params, headers, query, body });
      const accepted = started?.isNew === true ? 'started' : 'repeated';
      const outcome = started === undefined ? 'ignored' : accepted;
      options.httpMetrics.hook(outcome);
      options.notes.note(params, { outcome, reason: undefined, runId: started?.runId });
      if (started === undefined) return { ignored: true as const };
      const { runId: id, isNew } = started;
      if (!isNew) reply.header('idempotency-replayed', 'true');
      const status = isNew ? 'queued' : ((await getRun(options.store, id))?.status ?? 'queued');
      reply.code(202);
      return { id, status };
    });
  });
}
