import { ProblemError } from '@baton/api';
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
