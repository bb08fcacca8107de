import { backoffMs } from '@baton/primitives';
import {
  Cluster,
  Redis,
  type RedisOptions,
  type SentinelConnectionOptions,
  type StandaloneConnectionOptions,
} from 'ioredis';
import { SentinelConnector, StandaloneConnector } from 'ioredis/built/connectors/index.js';

import { type RedisAddress, readRedisAddress } from './redisAddress.ts';

/** To one Redis, to the one that sentinels name, or to a cluster. */
export type RedisConnection = Redis | Cluster;

/** The purpose of a connection decides how it behaves while Redis is unreachable: ringing fails at once, listening waits. */
export type ConnectionPurpose = 'ring' | 'listen' | 'subscribe';

/**
 * ioredis listens for the first error of a socket alone, and a TLS socket that is closed during its handshake has two: the
 * certificate is refused here, and the server reports the close.
 */
const withoutUncaught = (stream: Redis['stream']): Redis['stream'] => stream.on('error', () => undefined);

/** Opens connections whose errors never end the process. */
class GuardedConnector extends StandaloneConnector {
  /** ioredis passes the options of the connection, and calls them unknown. */
  constructor(options: unknown) {
    super(options as StandaloneConnectionOptions);
  }

  override async connect(onError: Parameters<StandaloneConnector['connect']>[0]): Promise<Redis['stream']> {
    return withoutUncaught(await super.connect(onError));
  }
}

class GuardedSentinelConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override async connect(onError: Parameters<SentinelConnector['connect']>[0]): Promise<Redis['stream']> {
    return withoutUncaught(await super.connect(onError));
  }
}

const common = {
  lazyConnect: true,
  connectTimeout: 5_000,
  keepAlive: 10_000,
  retryStrategy: (failures: number) => backoffMs(failures, { firstMs: 50, longestMs: 2_000 }),
  // After a failover the old address may be a replica: connect again.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
} satisfies RedisOptions;

/** A connection that is silent for this long is made anew: the server hangs, or a network dropped the connection. */
const silenceMs = 4_000;

const byPurpose = {
  ring: { enableOfflineQueue: false, maxRetriesPerRequest: 1, socketTimeout: silenceMs },
  // Longer than the longest blocking command of BullMQ: see `blockMaxSeconds`.
  listen: { maxRetriesPerRequest: null, socketTimeout: silenceMs },
  subscribe: { maxRetriesPerRequest: null, socketTimeout: silenceMs },
} satisfies Record<ConnectionPurpose, RedisOptions>;

/** A connection that only listens is pinged this often, to notice that it is dead. */
const pingMs = 2_000;

type ConnectionOptions = typeof common &
  (typeof byPurpose)[ConnectionPurpose] & { readonly connectionName: string; readonly commandTimeout?: number };

/** A connection that is opened at its first command, and reconnects for ever. */
export function redisConnection(
  url: string,
  purpose: ConnectionPurpose,
  more: { readonly commandTimeout?: number } = {},
): RedisConnection {
  const options: ConnectionOptions = { ...common, ...byPurpose[purpose], connectionName: `baton-${purpose}`, ...more };
  const address = readRedisAddress(url);
  if (address.kind === 'cluster') return clusterConnection(address, options);
  // The connector also makes the duplicates that BullMQ makes of a connection.
  const redis =
    address.kind === 'one'
      ? new Redis(address.url, { ...options, Connector: GuardedConnector })
      : new Redis({ ...options, ...address.options, ...sentinelWaits, Connector: GuardedSentinelConnector });
  redis.on('connect', () => joinWrites(redis.stream));
  if (purpose !== 'ring') ping(redis);
  return redis;
}

const sentinelWaits = {
  sentinelCommandTimeout: 2_000,
  sentinelRetryStrategy: common.retryStrategy,
  // Over pub/sub of the sentinels, before the old primary is silent for long.
  failoverDetector: true,
} satisfies RedisOptions;

function clusterConnection(
  { nodes, options: own }: Extract<RedisAddress, { kind: 'cluster' }>,
  options: ConnectionOptions,
): Cluster {
  const { lazyConnect, retryStrategy, ...rest } = options;
  const { enableOfflineQueue, ...ofNodes } = { enableOfflineQueue: true, ...rest };
  const cluster = new Cluster([...nodes], {
    lazyConnect,
    enableOfflineQueue,
    clusterRetryStrategy: retryStrategy,
    slotsRefreshTimeout: 3_000,
    redisOptions: { ...ofNodes, ...own, Connector: GuardedConnector },
  });
  cluster.on('+node', (node: Redis) => {
    node.on('connect', () => joinWrites(node.stream));
    node.on('error', () => undefined);
  });
  return cluster;
}

/** All that hold keys. */
export const primariesOf = (redis: RedisConnection): readonly Redis[] =>
  redis instanceof Cluster ? redis.nodes('master') : [redis];

function ping(redis: Redis): void {
  const timer = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(() => undefined);
  }, pingMs).unref();
  redis.once('end', () => clearInterval(timer));
}

/**
 * Sends the commands of one turn of the event loop in one write: fifty runs that end with the same commit finish their
 * jobs at once, and a write for each would take most of a busy worker's time.
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
