import { Redis, type RedisOptions } from 'ioredis';

/**
 * What a connection is for decides how it behaves while Redis is away: who rings is told at once, who listens waits.
 */
export type ConnectionPurpose = 'ring' | 'listen' | 'subscribe';

const common = {
  lazyConnect: true,
  connectTimeout: 5_000,
  keepAlive: 10_000,
  retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 6), 2_000),
  // After a fail-over the old address may be a replica: look again.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
} satisfies RedisOptions;

const byPurpose = {
  ring: { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 1_000, socketTimeout: 5_000 },
  // Longer than the longest blocking command of BullMQ, with its watchdog.
  listen: { maxRetriesPerRequest: null, socketTimeout: 15_000 },
  subscribe: { maxRetriesPerRequest: null },
} satisfies Record<ConnectionPurpose, RedisOptions>;

/** Not connected yet, and it never gives up connecting. */
export function redisConnection(url: string, purpose: ConnectionPurpose): Redis {
  const redis = new Redis(url, { ...common, ...byPurpose[purpose], connectionName: `baton-${purpose}` });
  redis.on('connect', () => joinWrites(redis.stream));
  return redis;
}

/**
 * Commands of one turn of the event loop leave in one write: fifty runs that end with the same commit finish their jobs at
 * once, and a write for each is what a busy worker would spend most of its time on.
 */
function joinWrites(stream: Redis['stream']): void {
  let isCorked = false;
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  stream.write = (...args: unknown[]) => {
    if (!isCorked) {
      isCorked = true;
      stream.cork();
      process.nextTick(() => {
        isCorked = false;
        stream.uncork();
      });
    }
    return write(...args);
  };
}
