/** Routes of the service itself: health, readiness, metrics. */
import { type Access, routes } from '@baton/api';
import type { Metrics, Readiness } from '@baton/boot';
import type { FastifyReply } from 'fastify';

import type { App } from '../../http/edge.ts';
import { route } from '../../http/route.ts';

export interface ServiceOptions {
  readonly readiness: Readiness;
  readonly metrics: Metrics;
  /** Open to all if only this machine can connect. */
  readonly metricsAccess: Access;
}

export function serviceRoutes(app: App, { readiness, metrics, metricsAccess }: ServiceOptions): void {
  const alive = async () => ({ status: 'ok' as const });
  const isReady = async (_request: unknown, reply: FastifyReply) => {
    const ready = await readiness.ask();
    return ready.status === 'down' ? reply.code(503).header('retry-after', '1').send(ready) : ready;
  };
  route(app, routes.isAlive, alive);
  route(app, routes.isReady, isReady);
  // HAProxy asks with OPTIONS, unless it is told otherwise.
  app.options(routes.isAlive.path, { config: { access: 'public' } }, alive);
  app.options(routes.isReady.path, { config: { access: 'public' } }, isReady);
  route(app, { ...routes.getMetrics, access: metricsAccess }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
}
