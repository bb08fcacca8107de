import { expect, test } from 'vitest';

import type { Figure } from './measure.ts';
import { isReached, ratiosOf, regressions } from './ratios.ts';

const figure = (system: string, backend: string, round: number, runsPerSecond: number): Figure => ({
  system,
  backend,
  round,
  runsPerSecond,
  workload: 'w3',
  concurrency: 50,
  p50Ms: 1,
  p99Ms: 1,
  cpuMsPerStep: 1,
});

test('a ratio is of one round each, and its median and range are told', () => {
  const figures = [900, 100, 600].flatMap((rate, round) => [
    figure('baton-queue', 'postgres+redis', round, rate),
    figure('baton-queue', 'postgres', round, 1),
    figure('dbos', 'postgres', round, 100),
  ]);
  expect(ratiosOf(figures)).toMatchObject([
    { name: 'throughput.w3.c50.vsDbos', value: 6, min: 1, max: 9, target: 9, isBetterHigher: true },
    { name: 'throughput.w3.c50.embedded.vsDbos', value: 0.01 },
  ]);
});

test('a side that failed in a round is left out of it', () => {
  const figures = [figure('baton-queue', 'postgres+redis', 0, 900), figure('dbos', 'postgres', 1, 100)];
  expect(ratiosOf(figures)).toEqual([]);
});

const ratio = (name: string, value: number, isBetterHigher: boolean) => ({
  name,
  value,
  min: value,
  max: value,
  isBetterHigher,
});

test('what is worse than what is stored by more than 15 % is told by name, whichever way is worse', () => {
  const stored = { rate: 1, 'rate.kept': 1, 'rate.better': 1, time: 1, 'time.kept': 1, 'time.better': 1 };
  const ratios = [
    ratio('rate', 0.84, true),
    ratio('rate.kept', 0.86, true),
    ratio('rate.better', 2, true),
    ratio('time', 1.16, false),
    ratio('time.kept', 1.14, false),
    ratio('time.better', 0.5, false),
    ratio('new', 0.1, true),
  ];
  expect(regressions(ratios, stored)).toEqual(['rate: 0.84, was 1.00', 'time: 1.16, was 1.00']);
});

test('a target is reached from its own side', () => {
  const reached = (value: number, isBetterHigher: boolean): boolean =>
    isReached({ ...ratio('x', value, isBetterHigher), target: 0.6 });
  expect([reached(0.6, true), reached(0.59, true), reached(0.6, false), reached(0.61, false)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect(isReached(ratio('no target', 0, true))).toBe(true);
});
