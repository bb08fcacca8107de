import { expect, test } from 'vitest';

import { Latch } from './latch.ts';

test('a signal before the wait is not missed, and counts once', async () => {
  const latch = new Latch();
  latch.raise();
  latch.raise();
  await latch.wait();
  let isWoken = false;
  const waiting = latch.wait().then(() => (isWoken = true));
  await Promise.resolve();
  expect(isWoken).toBe(false);
  latch.raise();
  await waiting;
});
