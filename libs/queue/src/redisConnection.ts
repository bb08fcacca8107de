import { Redis, type RedisOptions } from 'ioredis';

/** The purpose of a connection decides how it behaves while Redis is away: ringing fails at once, listening waits. */
export type ConnectionPurpose = 'ring' | 'listen' | 'subscribe';

const common = {
  lazyConnect: true,
  connectTimeout: 5_000,
  keepAlive: 10_000,
  retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 6), 2_000),
  // After a fail-over the old address may be a replica: look again.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
} satisfies RedisOptions;

/** Of a server that is there, and of a network that forgot the connection: it is made anew. */
const silenceMs = 4_000;

const byPurpose = {
  ring: { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 1_000, socketTimeout: silenceMs },
  // Longer than the longest blocking command of BullMQ: see `deafSeconds`.
  listen: { maxRetriesPerRequest: null, socketTimeout: silenceMs },
  subscribe: { maxRetriesPerRequest: null, socketTimeout: silenceMs },
} satisfies Record<ConnectionPurpose, RedisOptions>;

/** A connection that only listens is asked this often whether it is still one. */
const pingMs = 2_000;

/** Not connected yet, and it never gives up connecting. */
export function redisConnection(url: string, purpose: ConnectionPurpose): Redis {
  const redis = new Redis(url, { ...common, ...byPurpose[purpose], connectionName: `baton-${purpose}` });
  redis.on('connect', () => joinWrites(redis.stream));
  if (purpose !== 'ring') ping(redis);
  return redis;
}

function ping(redis: Redis): void {
  const timer = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(() => undefined);
  }, pingMs).unref();
  redis.once('end', () => clearInterval(timer));
}

/**
 * Commands of one turn of the event loop leave in one write: when fifty runs end with the same commit they finish their
 * jobs at once, and one write for each would be most of a busy worker's time.
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
