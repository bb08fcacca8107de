import { Redis, type RedisOptions } from 'ioredis';

/**
 * What a connection is for decides how it behaves while Redis is away: who rings is told at once, who listens waits.
 */
export type Purpose = 'ring' | 'listen' | 'subscribe';

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
} satisfies Record<Purpose, RedisOptions>;

/** Not connected yet, and it never gives up connecting. */
export function redisConnection(url: string, purpose: Purpose): Redis {
  return new Redis(url, { ...common, ...byPurpose[purpose], connectionName: `baton-${purpose}` });
}
