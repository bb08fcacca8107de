import { randomUUID } from 'node:crypto';

import { freePort } from '@baton/boot';
import { describe, expect, inject, onTestFinished, test } from 'vitest';

import { redisEpochs } from './redisEpochs.ts';

const { redisUrl = '' } = inject('services');

describe.skipIf(redisUrl === '')('epochs in Redis', () => {
  test('A Redis keeps the epoch of each installation for processes that come later', async () => {
    const [one, later] = [redisEpochs(redisUrl), redisEpochs(redisUrl)];
    onTestFinished(async () => void (await Promise.all([one.close(), later.close()])));
    const [installation, other] = [randomUUID(), randomUUID()];
    expect(await one.read(installation)).toBeUndefined();
    await one.write(installation, '{"at":1}');
    expect([await later.read(installation), await later.read(other)]).toEqual(['{"at":1}', undefined]);
  });

  test('The message about a Redis that is not there has no password', async () => {
    const port = await freePort();
    const away = redisEpochs(`redis://:secret@127.0.0.1:${port}`);
    onTestFinished(() => away.close());
    await expect(away.read('one')).rejects.toThrow(/connect/i);
    expect(away.name).toBe(`the Redis at 127.0.0.1:${port}`);
  });
});
