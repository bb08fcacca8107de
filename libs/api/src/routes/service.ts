import * as z from 'zod';

import { route } from '../route.ts';
import { AliveSchema, ReadinessSchema } from '../schemas/service.ts';

const tag = 'Service';

export const serviceRoutes = {
  isAlive: route('isAlive', {
    tag,
    summary: 'Report that the process is alive',
    access: 'public',
    answers: { 200: AliveSchema },
  }),
  isReady: route('isReady', {
    tag,
    summary: 'Report whether the process is ready, and which part is down',
    access: 'public',
    answers: { 200: ReadinessSchema, 503: ReadinessSchema },
  }),
  getMetrics: route('getMetrics', {
    tag,
    summary: 'Show metrics in the Prometheus text format',
    description:
      'Needs no key if the orchestrator listens on loopback, without `BATON_PUBLIC_URL` and `BATON_TRUSTED_PROXIES`.',
    access: ['metrics'],
    answers: { 200: { description: 'Metrics.', content: { 'text/plain': { schema: z.string() } } } },
  }),
};
