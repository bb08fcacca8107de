import { setTimeout as sleep } from 'node:timers/promises';

import type { BackendFactory, IQueueBackend } from 'bullmq';

/** How long a worker waits after an attempt to take a job failed. */
const retryMs = 500;
/** Longest time between two reads of the queue, in seconds, so that a lost notification is made up for. */
export const blockMaxSeconds = 2;

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
        await sleep(retryMs);
        throw error;
      }
    };
    Object.defineProperty(backend, 'maximumBlockTimeout', { value: blockMaxSeconds });
    return backend;
  };
}
