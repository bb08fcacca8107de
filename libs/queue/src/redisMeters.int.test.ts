import { randomUUID } from 'node:crypto';

import { freePort } from '@baton/boot';
import { UnavailableError } from '@baton/runner';
import { metersContract } from '@baton/testing';
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
