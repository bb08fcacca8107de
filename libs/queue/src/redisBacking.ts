import { createRedisBackend, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';

import { type Backing, queueName } from './backing.ts';
import { parseInfo, redisFindings } from './doctor.ts';
import { redisConnection } from './redisConnection.ts';
import { deafSeconds, steadyBackend } from './steadyBackend.ts';

/** Baton does not read BullMQ's event stream. */
const eventsKept = 100;

const backend = steadyBackend(createRedisBackend);

/** A queue on Redis. `ringing` is the connection that rings go out on; it stays the caller's. */
export function redisBacking(url: string, prefix: string, ringing: Redis): Backing {
  const producer = new Queue(
    queueName,
    {
      connection: ringing,
      prefix,
      // Both would wait for a Redis that is away, and then stay broken.
      skipVersionCheck: true,
      skipWaitingForReady: true,
      streams: { events: { maxLen: eventsKept } },
    },
    backend,
  );
  return {
    kind: 'redis',
    producer,
    consumer: (processor, options) => {
      const listening = redisConnection(url, 'listen');
      // BullMQ listens only while it is open itself.
      listening.on('error', () => undefined);
      return {
        worker: new Worker(
          queueName,
          processor,
          { ...options, drainDelay: deafSeconds, connection: listening, prefix },
          backend,
        ),
        release: () => listening.disconnect(),
      };
    },
    examine: async () => {
      const info = parseInfo(await ringing.info());
      const version = info.get('redis_version');
      return { ...(version === undefined ? {} : { version }), findings: redisFindings(info) };
    },
    close: () => producer.close(),
  };
}
