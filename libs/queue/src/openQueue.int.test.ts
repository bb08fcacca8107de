import { randomUUID } from 'node:crypto';

import { bellContract, busContract, channelsContract, freshDatabase, soon } from '@baton/testing';
import { Client } from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';

import { type OpenQueue, openQueue } from './openQueue.ts';

const { redisUrl } = inject('services');

/** On a machine that others load: what happens when the queue is late, the tests of its faults show. */
const answerMs = 60_000;

/** The idle slots that a bell got while it was answered: none, since its job was in the queue. */
async function idleSlotsInAnswer(queue: OpenQueue): Promise<readonly unknown[]> {
  const inAnswer: unknown[] = [];
  const heard = Promise.withResolvers<void>();
  const slots = queue.listen(
    async () => {
      inAnswer.push(slots.tryTakeIdleSlot());
      heard.resolve();
    },
    { concurrency: 2 },
  );
  expect([slots.tryTakeIdleSlot(), slots.tryTakeSlot()]).toEqual([undefined, expect.any(Function)]);
  let release: (() => void) | undefined;
  await soon(() => expect((release = slots.tryTakeIdleSlot())).toBeDefined());
  release?.();
  await queue.bell.ring([{ runId: randomUUID() }]);
  await heard.promise;
  await soon(() => expect((release = slots.tryTakeIdleSlot())).toBeDefined());
  expect(slots.tryTakeIdleSlot()).toBeUndefined();
  release?.();
  await slots.close(0);
  expect(slots.tryTakeIdleSlot()).toBeUndefined();
  return inAnswer;
}

/** A queue of its own for each test. */
const freshPrefix = (): string => `t${randomUUID().replaceAll('-', '')}`;

describe.skipIf(redisUrl === undefined)('on Redis', () => {
  bellContract('BullMQ on Redis', () => openQueue({ redisUrl, prefix: freshPrefix(), answerMs }));

  const openBuses = async () => {
    const prefix = freshPrefix();
    const [one, other] = await Promise.all([
      openQueue({ redisUrl, prefix, answerMs }),
      openQueue({ redisUrl, prefix, answerMs }),
    ]);
    if (one.bus === undefined || other.bus === undefined) throw new Error('a queue on Redis has a bus');
    return {
      one: one.bus,
      other: other.bus,
      close: async () => {
        await Promise.all([one.close(), other.close()]);
      },
    };
  };
  busContract('Redis pub/sub', openBuses);
  channelsContract('Redis pub/sub', openBuses);

  test('a bell reaches the installation that it was rung for, and no other', async () => {
    const prefix = freshPrefix();
    const [one, other] = await Promise.all(
      ['one', 'other'].map((installationId) => openQueue({ redisUrl, prefix, installationId, answerMs })),
    );
    if (one === undefined || other === undefined) throw new Error('two queues are open');
    onTestFinished(async () => void (await Promise.all([one.close(), other.close()])));
    const [forOne, forOther] = [randomUUID(), randomUUID()];
    const heard: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    other.listen(
      (runId) => {
        heard.push(runId);
        if (runId === forOther) resolve();
        return Promise.resolve();
      },
      { concurrency: 10 },
    );
    await one.bell.ring([{ runId: forOne }]);
    await other.bell.ring([{ runId: forOther }]);
    await promise;
    expect(heard).toEqual([forOther]);
  });

  test('A slot of a listener on Redis is idle only while its queue is known to be empty', async () => {
    const queue = await openQueue({ redisUrl, prefix: freshPrefix(), answerMs });
    onTestFinished(() => queue.close());
    expect(await idleSlotsInAnswer(queue)).toEqual([undefined]);
  });

  test('the doctor counts waiting bells and finds no problem', async () => {
    const queue = await openQueue({ redisUrl, prefix: freshPrefix(), answerMs });
    onTestFinished(() => queue.close());
    await queue.bell.ring([
      { runId: randomUUID() },
      { runId: randomUUID(), priority: 3 },
      { runId: randomUUID(), delayMs: 60_000 },
    ]);
    expect(await queue.doctor()).toMatchObject({
      kind: 'redis',
      isReachable: true,
      findings: [],
      bells: { waiting: 2, delayed: 1, answered: 0 },
      troubles: {},
    });
  });
});

describe('on Postgres', () => {
  bellContract('BullMQ on Postgres', async () => {
    const database = await freshDatabase('empty');
    const queue = await openQueue({ databaseClient: Client, databaseUrl: database.url, answerMs });
    return {
      ...queue,
      close: async () => {
        await queue.close();
        await database.drop();
      },
    };
  });

  test('A slot of a listener on Postgres is idle only while its queue is known to be empty', async () => {
    const database = await freshDatabase('empty');
    const queue = await openQueue({ databaseClient: Client, databaseUrl: database.url, answerMs });
    onTestFinished(async () => {
      await queue.close();
      await database.drop();
    });
    expect(await idleSlotsInAnswer(queue)).toEqual([undefined]);
  });
});
