import { expect, test } from 'vitest';

import { percentile } from './percentile.ts';

test('a percentile is one of the values: the smallest that so many do not exceed', () => {
  expect(percentile([], 0.5)).toBeUndefined();
  expect(percentile([7], 0.95)).toBe(7);
  expect(percentile([4, 1, 3, 2], 0.5)).toBe(2);
  expect(percentile([4, 1, 3, 2], 0)).toBe(1);
  expect(
    percentile(
      Array.from({ length: 100 }, (_, n) => n + 1),
      0.95,
    ),
  ).toBe(95);
});
