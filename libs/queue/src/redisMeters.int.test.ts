import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '@baton/boot';
import { type Meter, UnavailableError } from '@baton/runner';
import { findRedis, metersContract, startRedis, soon } from '@baton/testing';
import { describe, expect, inject, onTestFinished, test } from 'vitest';

import { redisConnection } from './redisConnection.ts';
import { redisMeters } from './redisMeters.ts';

const { redisUrl = '' } = inject('services');

describe.skipIf(redisUrl === '')('on Redis', () => {
  metersContract('Redis', async () => {
    const prefix = `t${randomUUID()}`;
    const [one, other] = [redisConnection(redisUrl, 'ring'), redisConnection(redisUrl, 'ring')];
    await Promise.all([one.connect(), other.connect()]);
    return {
      one: redisMeters(one, prefix),
      other: redisMeters(other, prefix),
      close: async () => [one, other].forEach((redis) => redis.disconnect()),
    };
  });

  test('What was counted is forgotten when it is over, and not before', async () => {
    const redis = redisConnection(redisUrl, 'ring');
    onTestFinished(() => redis.disconnect());
    await redis.connect();
    const prefix = `t${randomUUID()}`;
    await redisMeters(redis, prefix).take({ name: 'm', server: 's', everyMs: 86_400_000, burst: 1 });
    const leftMs = await redis.pttl(`${prefix}:rate:m`);
    expect([leftMs > 86_000_000, leftMs < 87_000_000]).toEqual([true, true]);
  });
});

test('A Redis that is away is no turn', async () => {
  const redis = redisConnection(`redis://127.0.0.1:${await freePort()}`, 'ring');
  redis.on('error', () => undefined);
  onTestFinished(() => redis.disconnect());
  const taken = redisMeters(redis, 'x').take({ name: 'm', server: 's', everyMs: 1, burst: 1 });
  await expect(taken).rejects.toThrow(UnavailableError);
});

test.skipIf((await findRedis()) === undefined)(
  'A Redis that is restarted empty lets one more burst through, for all processes together, and then keeps to the rate',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'baton-meters-'));
    let server = await startRedis({ folder });
    const connections = [server.url, server.url].map((url) => redisConnection(url, 'ring'));
    onTestFinished(async () => {
      for (const one of connections) one.disconnect();
      await server.stop();
      await rm(folder, { recursive: true });
    });
    for (const one of connections) one.on('error', () => undefined);
    await Promise.all(connections.map((one) => one.connect()));
    const processes = connections.map((one) => redisMeters(one, 'p'));
    const burst = 4;
    const sent: Meter = { name: 'sent', server: 's', everyMs: 3_600_000, burst, withinMs: 2_000 };
    /** How many of fifty that ask at once may be sent. */
    const letGo = async (): Promise<number> => {
      const asked = Array.from({ length: 25 }, () => processes.map((one) => one.take(sent))).flat();
      return (await Promise.all(asked)).filter(({ isTaken }) => isTaken).length;
    };
    expect([await letGo(), await letGo()]).toEqual([burst, 0]);
    await server.stop();
    await expect(letGo()).rejects.toThrow(UnavailableError);
    server = await startRedis({ folder, port: server.port });
    let after = 0;
    await soon(async () => {
      // Also what is let go before both are connected again counts.
      const turns = await Promise.allSettled(processes.map((one) => one.take(sent)));
      after += turns.filter((turn) => turn.status === 'fulfilled' && turn.value.isTaken).length;
      expect(turns.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    });
    expect(after + (await letGo())).toBe(burst);
    expect(await letGo()).toBe(0);
  },
);
