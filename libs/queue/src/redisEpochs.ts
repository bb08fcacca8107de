import { redisConnection } from './redisConnection.ts';

/** Keeps epochs in a Redis: implements `EpochPlace` of libs/store. */
export interface RedisEpochs {
  /** Without a password. */
  readonly name: string;
  read(installation: string): Promise<string | undefined>;
  write(installation: string, text: string): Promise<void>;
  close(): Promise<void>;
}

const keyOf = (installation: string): string => `baton:fence:${installation}`;

/** Connects at the first use. Rejects where Redis does not answer. */
export function redisEpochs(url: string): RedisEpochs {
  const redis = redisConnection(url, 'ring', { commandTimeout: 4_000 });
  redis.on('error', () => undefined);
  // A command is refused at once where there is no connection: the next look tries again.
  const connected = async (): Promise<void> => {
    if (redis.status === 'wait' || redis.status === 'end') await redis.connect();
  };
  return {
    name: `the Redis at ${new URL(url).host}`,
    async read(installation) {
      await connected();
      return (await redis.get(keyOf(installation))) ?? undefined;
    },
    async write(installation, text) {
      await connected();
      await redis.set(keyOf(installation), text);
    },
    close: async () => redis.disconnect(),
  };
}
