import type { TracedStep } from '@baton/engine';
import { expect, test } from 'vitest';

import { scaleOf } from './timeScale.ts';

test.each([
  [2_004, ['0', '500 ms', '1.0 s', '1.5 s']],
  [7, ['0', '2 ms', '4 ms', '6 ms']],
  [88_000, ['0', '20 s', '40 s', '1 m']],
  [9 * 86_400_000, ['0', '2 d', '4 d', '6 d', '8 d']],
])('a run of %d ms without steps has ticks at round times', (ms, labels) => {
  const { ticks } = scaleOf([], 0, ms);
  expect(ticks.map(({ label }) => label)).toEqual(labels);
  for (const { share } of ticks) expect(share).toBeLessThanOrEqual(0.9);
});

test('where long pauses are drawn short, ticks are at round times too', () => {
  const busy = (from: number, to: number): TracedStep => ({
    path: `at-${from}`,
    verb: 'tool',
    status: 'succeeded',
    attempts: [{ n: 1, status: 'succeeded', startedAt: from, endedAt: to, worker: undefined }],
  });
  const scale = (steps: readonly TracedStep[], ms: number): string[] =>
    scaleOf(steps, 0, ms).ticks.map(({ label }) => label);
  expect(scale([busy(400, 21_700), busy(60_500, 81_300)], 83_120)).toEqual(['0', '10 s', '30 s', '1 m', '1 m 15 s']);
  expect(scale([busy(0, 900), busy(7_200_000, 7_203_000)], 7_205_000)).toEqual([
    '0',
    '30 m',
    '45 m',
    '1 h 15 m',
    '1 h 30 m',
  ]);
});
