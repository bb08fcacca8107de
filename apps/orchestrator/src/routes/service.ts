/** The service itself: whether it lives, whether it can work, what it counts. */
import type { Metrics, Readiness } from '@baton/boot';
import * as z from 'zod';

import type { Access, App } from '../http/edge.ts';

const tags = ['Service'];

const Part = z
  .strictObject({
    status: z.enum(['ok', 'away']),
    message: z.string().optional().meta({ description: 'What is to be done about it; also of one that answers.' }),
  })
  .meta({ id: 'Part' });

const Ready = z
  .strictObject({
    status: z.enum(['ok', 'degraded', 'down']).meta({
      description: '`degraded`: runs go on, later than they could. `down`: nothing can be done without Postgres.',
    }),
    parts: z.strictObject({ postgres: Part, queue: Part }),
  })
  .meta({ id: 'Readiness' });

export interface ServiceOptions {
  readonly readiness: Readiness;
  readonly metrics: Metrics;
  /** Everybody where only this machine can ask. */
  readonly metricsAccess: Access;
}

export function serviceRoutes(app: App, { readiness, metrics, metricsAccess }: ServiceOptions): void {
  app.get(
    '/healthz',
    {
      config: { access: 'public' },
      schema: {
        tags,
        summary: 'Whether the process lives',
        response: { 200: z.strictObject({ status: z.literal('ok') }) },
      },
    },
    async () => ({ status: 'ok' as const }),
  );
  app.get(
    '/readyz',
    {
      config: { access: 'public' },
      schema: {
        tags,
        summary: 'Whether it can work, and which part is away',
        response: { 200: Ready, 503: Ready },
      },
    },
    async (_request, reply) => {
      const ready = await readiness.ask();
      return ready.status === 'down' ? reply.code(503).header('retry-after', '1').send(ready) : ready;
    },
  );
  app.get(
    '/metrics',
    {
      config: { access: metricsAccess },
      schema: {
        tags,
        summary: 'Metrics in the text format of Prometheus',
        response: { 200: { description: 'Metrics.', content: { 'text/plain': { schema: z.string() } } } },
      },
    },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  );
}
