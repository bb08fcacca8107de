/** Debian's Redis: alone, with a replica and sentinels, and as a cluster. */
import { Redis } from 'ioredis';

import { type Debian, type Started, host, until } from './debian.ts';

const usual = (port: number, folder: string): string[] => [
  '--port',
  String(port),
  '--bind',
  host,
  '--dir',
  folder,
  '--save',
  '',
  '--maxmemory-policy',
  'noeviction',
];

export const startRedis = (debian: Debian, ...more: readonly string[]): Promise<Started> =>
  debian.start('redis-server', ({ port, folder }) => [...usual(port, folder), ...more]);

export interface Sentinels {
  readonly url: string;
  readonly primary: Started;
}

export async function startSentinels(debian: Debian): Promise<Sentinels> {
  const primary = await startRedis(debian);
  await startRedis(debian, '--replicaof', host, String(primary.port));
  const sentinels = [];
  for (let n = 0; n < 3; n += 1) {
    sentinels.push(
      await debian.start('redis-server', ({ port, folder }) => [
        debian.write(
          folder,
          'sentinel.conf',
          `port ${port}\nbind ${host}\nsentinel monitor main ${host} ${primary.port} 2\nsentinel down-after-milliseconds main 1500\nsentinel failover-timeout main 5000\n`,
        ),
        '--sentinel',
      ]),
    );
  }
  const [first] = sentinels;
  await asked(first?.port ?? 0, async (sentinel) => {
    await until(async () => {
      const info = await sentinel.info();
      if (!/slaves=1,sentinels=3/.test(info)) throw new Error(info);
    });
  });
  return { url: `redis+sentinel://${sentinels.map(({ port }) => `${host}:${port}`).join(',')}/main`, primary };
}

export async function startCluster(debian: Debian): Promise<string> {
  const nodes = [];
  for (let n = 0; n < 3; n += 1) {
    nodes.push(await startRedis(debian, '--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'));
  }
  const [first, ...others] = nodes.map(({ port }) => port);
  const share = Math.ceil(16_384 / nodes.length);
  for (const [at, { port }] of nodes.entries()) {
    await asked(port, async (redis) => {
      const last = Math.min(16_383, (at + 1) * share - 1);
      await redis.call('cluster', 'addslotsrange', String(at * share), String(last));
      await redis.call('cluster', 'set-config-epoch', String(at + 1));
    });
  }
  await asked(first ?? 0, async (redis) => {
    for (const port of others) await redis.call('cluster', 'meet', host, String(port));
  });
  for (const { port } of nodes) {
    await asked(port, (redis) =>
      until(async () => {
        const info = String(await redis.call('cluster', 'info'));
        if (!/cluster_state:ok/.test(info) || !/cluster_known_nodes:3/.test(info)) throw new Error(info);
      }),
    );
  }
  return `redis+cluster://${nodes.map(({ port }) => `${host}:${port}`).join(',')}`;
}

async function asked(port: number, ask: (redis: Redis) => Promise<unknown>): Promise<void> {
  const redis = new Redis({ port, host });
  redis.on('error', () => undefined);
  try {
    await ask(redis);
  } finally {
    redis.disconnect();
  }
}
