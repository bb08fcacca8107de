/** The routes of webhooks: other services start runs with signed requests. */
import { routes } from '@baton/api';
import { type Poller, control, isEventHook } from '@baton/control';
import { getRun } from '@baton/store';
import type { FastifyRequest } from 'fastify';

import type { DeliveryNotes } from '../../hooks/deliveryNotes.ts';
import { type HookOptions, receiveHook } from '../../hooks/receive.ts';
import { asProblem } from '../../http/asProblem.ts';
import type { App } from '../../http/edge.ts';
import type { HttpMetrics } from '../../http/httpMetrics.ts';
import { route, serve } from '../../http/route.ts';

export interface HookRouteOptions extends HookOptions {
  readonly httpMetrics: Pick<HttpMetrics, 'hook'>;
  readonly notes: DeliveryNotes;
  readonly poller: Pick<Poller, 'receive'>;
}

export function hookRoutes(app: App, options: HookRouteOptions): void {
  void app.register(async (raw: App) => {
    raw.addHook('onRoute', (added) => {
      added.config = { ...added.config, takesAnyBody: true };
    });
    // The signature covers the exact bytes.
    raw.removeAllContentTypeParsers();
    // Fastify refuses a type that is empty or no type, and a sender may write no other.
    raw.addHook('onRequest', async ({ raw: { headers } }) => {
      if (!/^[^\s/;]+\/[^\s/;]+/.test(headers['content-type'] ?? '')) delete headers['content-type'];
    });
    raw.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body);
    raw.addHook('onError', async (_request, _reply, error) => options.httpMetrics.hook(asProblem(error).code));
    route(raw, routes.receiveHook, async (request, reply) => {
      const { params, headers, query } = request;
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      // Events that a trigger has subscribed to come to this address too.
      const received = isEventHook(params.hook)
        ? await options.poller.receive({ ...params, headers, body })
        : await receiveHook(options, { ...params, headers, query, body });
      if (received.kind !== 'run') {
        const reason = received.kind === 'ignored' ? received.reason : 'The sender asked whether this address is ours.';
        options.httpMetrics.hook('ignored');
        options.notes.note(params, { outcome: 'ignored', reason, runId: undefined });
        return received.kind === 'ignored' ? { ignored: true as const, reason } : { challenge: received.challenge };
      }
      const { runId: id, isNew } = received.run;
      const outcome = isNew ? 'started' : 'repeated';
      options.httpMetrics.hook(outcome);
      options.notes.note(params, { outcome, reason: undefined, runId: id });
      if (!isNew) reply.header('idempotency-replayed', 'true');
      const status = isNew ? 'queued' : ((await getRun(options.store, id))?.status ?? 'queued');
      reply.code(202);
      return { id, status };
    });
  });
}

/** For people: address, signature, latest deliveries. */
export function hookListRoute(app: App, options: Parameters<typeof control.listHooks>[0]): void {
  serve(app, control.listHooks, options, { input: ({ query }) => query, answer: (hooks) => hooks });
}
