import { expect, test } from 'vitest';

import { Batches, firstOf } from './batches.ts';

/** Batches whose end the test decides. */
function held(most = 100, pause?: () => Promise<void>) {
  const carried: number[][] = [];
  const ends: (() => void)[] = [];
  const batches = new Batches<number>({
    take: firstOf(most),
    ...(pause && { pause }),
    carryOut: (batch) => {
      carried.push([...batch]);
      return new Promise((resolve) => ends.push(resolve));
    },
  });
  const endOne = async (): Promise<void> => {
    ends.shift()?.();
    await turn();
  };
  return { batches, carried, endOne };
}

/** Lets every microtask run. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('the first batch leaves in the same turn, with all that came in it', async () => {
  const { batches, carried } = held();
  for (const job of [1, 2, 3]) batches.add(job);
  await Promise.resolve();
  expect(carried).toEqual([[1, 2, 3]]);
});

test('what comes while a batch is under way makes up the next one', async () => {
  const { batches, carried, endOne } = held();
  batches.add(1);
  await turn();
  for (const job of [2, 3]) batches.add(job);
  await turn();
  expect(carried).toEqual([[1]]);
  await endOne();
  expect(carried).toEqual([[1], [2, 3]]);
});

test('with a pause, jobs that the end of a batch causes join the next batch', async () => {
  const { batches, carried, endOne } = held(100, turn);
  batches.add(1);
  await turn();
  batches.add(2);
  const freed = turn().then(() => batches.add(3));
  await Promise.all([endOne(), freed]);
  await turn();
  expect(carried).toEqual([[1], [2, 3]]);
});

test('a batch has its bound, and the rest comes in order', async () => {
  const { batches, carried, endOne } = held(2);
  for (const job of [1, 2, 3, 4, 5]) batches.add(job);
  for (let ended = 0; ended < 3; ended += 1) {
    await turn();
    await endOne();
  }
  expect(carried).toEqual([[1, 2], [3, 4], [5]]);
});

test('it is idle when the last one has ended, and can be woken again', async () => {
  const { batches, carried, endOne } = held();
  await batches.idle();
  batches.add(1);
  let isIdle = false;
  const idle = batches.idle().then(() => (isIdle = true));
  await turn();
  expect(isIdle).toBe(false);
  await endOne();
  await idle;
  batches.add(2);
  await turn();
  expect(carried).toEqual([[1], [2]]);
});

test('a job that may wait leaves with the first that may not, in their order', async () => {
  const { batches, carried } = held();
  batches.add(1, true);
  batches.add(2, true);
  await turn();
  expect(carried).toEqual([]);
  batches.add(3);
  await turn();
  expect(carried).toEqual([[1, 2, 3]]);
});

test('a job that may wait leaves after the current batch as soon as a caller waits for it', async () => {
  const { batches, carried, endOne } = held();
  batches.add(1);
  await turn();
  batches.add(2, true);
  await endOne();
  expect(carried).toEqual([[1]]);
  batches.flush();
  await turn();
  expect(carried).toEqual([[1], [2]]);
});

test('a job that may wait leaves in the end, even without a waiting caller', async () => {
  const { batches, carried } = held();
  batches.add(1, true);
  await expect.poll(() => carried).toEqual([[1]]);
});

test('waiting until it is idle writes a job that may wait at once', async () => {
  const { batches, carried, endOne } = held();
  batches.add(1, true);
  const idle = batches.idle();
  await turn();
  expect(carried).toEqual([[1]]);
  await endOne();
  await idle;
});
