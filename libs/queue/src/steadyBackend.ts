import { setTimeout as sleep } from 'node:timers/promises';

import type { BackendFactory, IQueueBackend } from 'bullmq';

/** How long a worker waits after a backend refused to hand out a job. */
const refusedMs = 500;
/** Longest sleep between two looks at the queue, in seconds: recovers from a lost notification. */
export const deafSeconds = 2;

/**
 * Corrects two behaviours of BullMQ's worker. It retries at once, without end, when taking a job fails for another
 * reason than a refused connection (a server that is starting, read-only or full). And on Postgres it may sleep for an
 * hour after a failed LISTEN, or while some job is delayed that long.
 */
export function steadyBackend<B extends IQueueBackend, C>(open: BackendFactory<B, C>): BackendFactory<B, C> {
  return (name, options, kind) => {
    const backend = open(name, options, kind);
    const take = backend.moveToActive.bind(backend);
    backend.moveToActive = async (...args) => {
      try {
        return await take(...args);
      } catch (error) {
        await sleep(refusedMs);
        throw error;
      }
    };
    Object.defineProperty(backend, 'maximumBlockTimeout', { value: deafSeconds });
    return backend;
  };
}
