/**
 * The child's end: a side that lives in a process of its own, and receives over the channel to its parent what to do. Its
 * runs can also be asked for over HTTP, one request for each, on the address that it says when it is ready.
 */
import Fastify from 'fastify';

import type { Load, Measured, Workload } from './load.ts';

interface Served {
  /** Begins one run and resolves when it is over; undefined where the side has no such workload. */
  readonly prepare: (workload: Workload) => Promise<(() => Promise<unknown>) | undefined>;
  readonly loop: (load: Load, one: () => Promise<unknown>) => Promise<Measured>;
  /** What the parent needs to know. */
  readonly ready?: Readonly<Record<string, unknown>>;
}

/** The least that a route can be: the run is over when it answers; 404 where the side has no such workload. */
async function openRoute(prepare: Served['prepare']): Promise<string> {
  const app = Fastify();
  app.post<{ Body: Workload }>('/runs', async ({ body }, reply) => {
    const one = await prepare(body);
    if (one === undefined) return reply.code(404).send({});
    await one();
    return { status: 'succeeded' };
  });
  return app.listen({ host: '127.0.0.1', port: 0 });
}

/** Until the parent is gone or lets go. */
export async function serveLoads({ prepare, loop, ready = {} }: Served): Promise<void> {
  const answer = async (load: Load): Promise<void> => {
    try {
      const one = await prepare(load);
      process.send?.({ measured: one === undefined ? null : await loop(load, one) });
    } catch (error) {
      process.send?.({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  };
  process.on('message', (load: Load) => void answer(load));
  process.on('disconnect', () => process.exit(0));
  process.send?.({ ready: { ...ready, url: await openRoute(prepare) } });
}
