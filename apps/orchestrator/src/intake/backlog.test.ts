import { ProblemError } from '@baton/api';
import { UnavailableError } from '@baton/runner';
import { expect, test } from 'vitest';

import { TestClock } from '../testing/testClock.ts';
import { QueueBacklog } from './backlog.ts';

test('runs that were taken in while the others are counted count, too', async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const backlog = new QueueBacklog({ count: () => promise, clock: new TestClock(), most: 3 });
  backlog.check();
  backlog.add();
  backlog.add();
  resolve(0);
  await promise;
  await Promise.resolve();
  backlog.check();
  backlog.add();
  expect(() => backlog.check()).toThrow(ProblemError);
});

test('a count that Postgres refuses is told to the next start, until one succeeds; one that it is away for is not', async () => {
  const clock = new TestClock();
  const answers = [new Error('permission denied'), new UnavailableError('away'), new Error('permission denied'), 0];
  const count = async (): Promise<number> => {
    const answer = answers.shift();
    if (typeof answer !== 'number') throw answer ?? new Error('counted too often');
    return answer;
  };
  const backlog = new QueueBacklog({ count, clock });
  const counted = async (): Promise<void> => {
    clock.pass(1_001);
    try {
      backlog.check();
    } catch {
      // Of the count before.
    }
    await new Promise(setImmediate);
  };
  await counted();
  expect(() => backlog.check()).toThrow('permission denied');
  await counted();
  backlog.check();
  await counted();
  expect(() => backlog.check()).toThrow('permission denied');
  await counted();
  backlog.check();
  expect(answers).toEqual([]);
});
