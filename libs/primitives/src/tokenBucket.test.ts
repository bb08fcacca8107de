import { expect, test } from 'vitest';

import { TokenBucket } from './tokenBucket.ts';

test('A token bucket admits a burst, then the rate, and never more than a burst at once', () => {
  const bucket = new TokenBucket({ burst: 3, perSecond: 10 });
  expect([0, 0, 0, 0].map((now) => bucket.admits(now))).toEqual([true, true, true, false]);
  expect(bucket.admits(150)).toBe(true);
  expect(bucket.admits(160)).toBe(false);
  expect(bucket.admits(160, 0.5)).toBe(true);
  expect([90_000, 90_000, 90_000, 90_000].map((now) => bucket.admits(now))).toEqual([true, true, true, false]);
});

test('What a token bucket refuses takes nothing from what comes later', () => {
  const bucket = new TokenBucket({ perSecond: 2 });
  const admitted = Array.from({ length: 1_000 }, (_, n) => bucket.admits(n * 10)).filter(Boolean);
  // A burst of two, and two in each of ten seconds.
  expect(admitted.length).toBe(21);
});
