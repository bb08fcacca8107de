import { ProblemError } from '@baton/api';
import { FailureError } from '@baton/engine';
import { UnavailableError } from '@baton/runner';
import { TestClock } from '@baton/testing';
import { expect, test } from 'vitest';

import { QueueBacklog } from './backlog.ts';

const onTrouble = (error: Error): void => expect(error).toBeUndefined();

test('runs that were taken in while the others are counted count, too', async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const backlog = new QueueBacklog({ count: () => promise, clock: new TestClock(), most: 3, onTrouble });
  backlog.check();
  backlog.add();
  backlog.add();
  resolve(0);
  await new Promise(setImmediate);
  backlog.check();
  backlog.add();
  expect(() => backlog.check()).toThrow(ProblemError);
});

test.each([new FailureError('limit-exceeded', 'no'), new UnavailableError('away'), new TypeError('a bug')])(
  'a count that fails (%s) ends no process and refuses no start: the count before holds, and runs taken in since',
  async (failure) => {
    const clock = new TestClock();
    const answers = [1, failure];
    const told: Error[] = [];
    const backlog = new QueueBacklog({
      count: async () => {
        const answer = answers.shift();
        if (typeof answer !== 'number') throw answer ?? new Error('counted too often');
        return answer;
      },
      clock,
      most: 3,
      onTrouble: (error) => told.push(error),
    });
    for (let starts = 0; starts < 2; starts += 1) {
      clock.pass(1_001);
      backlog.check();
      await new Promise(setImmediate);
      backlog.add();
    }
    expect([answers, told]).toEqual([[], [failure]]);
    expect(() => backlog.check()).toThrow(ProblemError);
  },
);

test('the next count waits a second, or fifty times as long as the last one took', async () => {
  const clock = new TestClock();
  let counts = 0;
  let tookMs = 10;
  const count = async (): Promise<number> => {
    counts += 1;
    clock.pass(tookMs);
    return 0;
  };
  const backlog = new QueueBacklog({ count, clock, onTrouble });
  const checkAfter = async (ms: number): Promise<number> => {
    clock.pass(ms);
    backlog.check();
    await new Promise(setImmediate);
    return counts;
  };
  expect(await checkAfter(0)).toBe(1);
  expect(await checkAfter(999)).toBe(1);
  tookMs = 40;
  expect(await checkAfter(2)).toBe(2);
  expect(await checkAfter(1_999)).toBe(2);
  expect(await checkAfter(2)).toBe(3);
});
