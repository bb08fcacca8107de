import { expect, test } from 'vitest';

import { TokenBucket } from './budget.ts';

test('it allows a burst, then the rate, and never more than a burst at once', () => {
  const budget = new TokenBucket(3, 10);
  expect([0, 0, 0, 0].map((now) => budget.spend(1, now))).toEqual([true, true, true, false]);
  expect(budget.spend(1, 250)).toBe(true);
  expect(budget.spend(1, 260)).toBe(false);
  expect([90_000, 90_000, 90_000, 90_000].map((now) => budget.spend(1, now))).toEqual([true, true, true, false]);
});
