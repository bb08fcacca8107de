import { expect, test } from 'vitest';

import { slopeOf } from './stats.ts';

test('a slope is that of the line, with an error that is as large as the points are scattered', () => {
  const line = [0, 1, 2, 3, 4, 5].map((x) => [x, 7 + 2 * x] as const);
  expect(slopeOf(line)).toEqual({ value: 2, error: 0 });
  const scattered = line.map(([x, y], i) => [x, y + (i % 2 === 0 ? 1 : -1)] as const);
  const { value, error } = slopeOf(scattered);
  expect(Math.abs(value - 2)).toBeLessThan(error);
  expect(error).toBeLessThan(1);
});
