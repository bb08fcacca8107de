import * as z from 'zod';

import { route } from '../route.ts';
import { AliveSchema, ReadinessSchema } from '../schemas/service.ts';

const tag = 'Service';

export const serviceRoutes = {
  isAlive: route('isAlive', {
    tag,
    summary: 'Whether the process lives',
    access: 'public',
    answers: { 200: AliveSchema },
  }),
  isReady: route('isReady', {
    tag,
    summary: 'Whether it can work, and which part is away',
    access: 'public',
    answers: { 200: ReadinessSchema, 503: ReadinessSchema },
  }),
  getMetrics: route('getMetrics', {
    tag,
    summary: 'Metrics in the text format of Prometheus',
    description: 'Without a key where the orchestrator listens on loopback only.',
    access: ['admin'],
    answers: { 200: { description: 'Metrics.', content: { 'text/plain': { schema: z.string() } } } },
  }),
};
