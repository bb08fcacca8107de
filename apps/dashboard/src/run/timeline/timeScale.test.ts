import { expect, test } from 'vitest';

import { scaleOf } from './timeScale.ts';

test.each([
  [2_004, ['0', '500 ms', '1.0 s', '1.5 s']],
  [7, ['0', '2 ms', '4 ms', '6 ms']],
  [88_000, ['0', '30 s', '1 m']],
])('a run of %d ms without steps has ticks at round times', (ms, labels) => {
  const { ticks } = scaleOf([], 0, ms);
  expect(ticks.map(({ label }) => label)).toEqual(labels);
  for (const { share } of ticks) expect(share).toBeLessThanOrEqual(0.9);
});
