import { createRedisBackend, Queue, Worker } from 'bullmq';

import { type QueueBacking, queueName } from './backing.ts';
import { parseInfo, redisFindings, refusalOf, type RefusedError } from './doctor.ts';
import { type RedisConnection, primariesOf, redisConnection } from './redisConnection.ts';
import { blockMaxSeconds, steadyBackend } from './steadyBackend.ts';

/** Baton does not read BullMQ's event stream. */
const eventsKept = 100;

const backend = steadyBackend(createRedisBackend);

/** A queue on Redis. Rings are sent on the connection `ringing`, which the caller closes. */
export function redisBacking(url: string, prefix: string, ringing: RedisConnection): QueueBacking {
  const producer = new Queue(
    queueName,
    {
      connection: ringing,
      prefix,
      // Both checks would wait for an unreachable Redis, and leave the queue broken.
      skipVersionCheck: true,
      skipWaitingForReady: true,
      streams: { events: { maxLen: eventsKept } },
    },
    backend,
  );
  // Redis ends a connection that it refuses, and later commands fail for the reason that there is none.
  let refusal: RefusedError | undefined;
  ringing.on('error', (error) => (refusal = refusalOf(error)));
  ringing.on('ready', () => (refusal = undefined));
  return {
    kind: 'redis',
    firstPriority: 0,
    producer,
    consumer: (processor, options) => {
      const listening = redisConnection(url, 'listen');
      // BullMQ handles errors only while its worker is open.
      listening.on('error', () => undefined);
      return {
        worker: new Worker(
          queueName,
          processor,
          { ...options, drainDelay: blockMaxSeconds, connection: listening, prefix },
          backend,
        ),
        release: () => listening.disconnect(),
      };
    },
    examine: async () => {
      if (refusal !== undefined) throw refusal;
      const infos = await Promise.all(primariesOf(ringing).map(async (redis) => parseInfo(await redis.info())));
      const version = infos[0]?.get('redis_version');
      const findings = infos.map(redisFindings).find((found) => found.length > 0) ?? [];
      return { ...(version === undefined ? {} : { version }), findings };
    },
    close: () => producer.close(),
  };
}
