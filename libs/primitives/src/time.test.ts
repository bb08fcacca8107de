import { expect, test } from 'vitest';

import { delayText, durationText, relativeText, writtenDuration } from './time.ts';

test('a duration is said in at most two units', () => {
  const said = [0, 124, 4_190, 41_000, 252_000, 7_380_000, 273_600_000].map(durationText);
  expect(said).toEqual(['0 ms', '124 ms', '4.1 s', '41 s', '4 m 12 s', '2 h 3 m', '3 d 4 h']);
});

test('an instant that has passed is said in one unit, one to come in two', () => {
  const now = Date.UTC(2026, 0, 1);
  const said = (ms: number): string => relativeText(now - ms, now);
  expect([0, 9_600, 252_000, 7_380_000].map(said)).toEqual(['just now', '9 s ago', '4 m ago', '2 h ago']);
  expect([-1_000, -9_600, -252_000, -273_600_000].map(said)).toEqual(['now', 'in 9 s', 'in 4 m 12 s', 'in 3 d 4 h']);
  expect(said(40 * 86_400_000)).toBe('2025-11-22');
});

test('A message names a limit as its author writes it: 30s, and not 30000 ms.', () => {
  expect([0, 500, 1_500, 30_000, 90_000, 120_000, 7_200_000, 172_800_000].map(writtenDuration)).toEqual([
    '0ms',
    '500ms',
    '1500ms',
    '30s',
    '90s',
    '2m',
    '2h',
    '2d',
  ]);
});

test('A time to wait is told in hours and minutes, rounded up: who waits so long does not come too early.', () => {
  const said = [0, 300, 2_100, 59_001, 121_000, 54_542_000, 172_800_001].map(delayText);
  expect(said).toEqual(['1 s', '1 s', '3 s', '1 m', '2 m 1 s', '15 h 10 m', '2 d 1 h']);
});
