import { expect, test } from 'vitest';

import { barsOf, beginOf } from './histogramBars.ts';

const hourMs = 3_600_000;

test.each([
  [1, 60],
  [2, 24],
  [4, 48],
  [24, 24],
  [48, 48],
  [7 * 24, 56],
  [30 * 24, 60],
  [365 * 24, 200],
])('A picture of %i hours has %i bars.', (hours, bars) => {
  expect(barsOf({ from: 0, to: hours * hourMs })).toBe(bars);
});

const picture = (counts: readonly number[]) => ({
  from: new Date(0).toISOString(),
  data: counts.map((succeeded, at) => ({ at: new Date(at * 1.5 * hourMs).toISOString(), counts: { succeeded } })),
});

test('A picture that is mostly empty begins with the hour of the first run.', () => {
  expect(beginOf(picture([0, 0, 0, 2]))).toBe(4 * hourMs);
  expect(beginOf(picture([1, 0, 0, 2]))).toBeUndefined();
  expect(beginOf(picture([0, 0, 0, 0]))).toBeUndefined();
});
