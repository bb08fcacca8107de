import { expect, test } from 'vitest';

import { backoffMs } from './backoff.ts';

const limits = { firstMs: 100, longestMs: 1_000 };

test('a pause doubles with each failure in a row, up to the longest', () => {
  expect([1, 2, 3, 4, 5, 5_000].map((failures) => backoffMs(failures, limits))).toEqual([
    100, 200, 400, 800, 1_000, 1_000,
  ]);
});

test('a random part leaves at least a quarter of a pause', () => {
  expect([0, 0.5, 1].map((drawn) => backoffMs(3, { ...limits, random: () => drawn }))).toEqual([100, 250, 400]);
});

test('after any number of failures, a first pause of nothing stays nothing', () => {
  expect(backoffMs(1e9, { firstMs: 0, longestMs: 1_000 })).toBe(0);
});
