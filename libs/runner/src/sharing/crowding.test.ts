import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { type Clock, systemClock } from '../ports/clock.ts';
import { Crowding } from './crowding.ts';

beforeEach(() => void vi.useFakeTimers());

afterEach(() => void vi.useRealTimers());

function crowdingOf(concurrency: number) {
  const onCrowded = vi.fn();
  const clock: Clock = { ...systemClock, monotonic: () => Date.now() };
  return { crowding: new Crowding({ clock, concurrency, onCrowded }), onCrowded };
}

test('a worker whose slots stay taken is crowded, and says so again and again', () => {
  const { crowding, onCrowded } = crowdingOf(2);
  crowding.noteRuns(1);
  vi.advanceTimersByTime(10_000);
  expect(onCrowded).not.toHaveBeenCalled();
  crowding.noteRuns(2);
  vi.advanceTimersByTime(100);
  expect(onCrowded).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(10_000);
  expect(onCrowded.mock.calls.length).toBeGreaterThan(5);
});

test('a worker that gives each slot back at once is not crowded', () => {
  const { crowding, onCrowded } = crowdingOf(2);
  for (let at = 0; at < 100; at += 1) {
    crowding.noteRuns(2);
    vi.advanceTimersByTime(20);
    crowding.noteRuns(1);
  }
  vi.advanceTimersByTime(10_000);
  expect(onCrowded).not.toHaveBeenCalled();
});

test('a worker whose runs come late is crowded, and says so now and then', () => {
  const { crowding, onCrowded } = crowdingOf(2);
  crowding.noteWait(20);
  expect(onCrowded).not.toHaveBeenCalled();
  for (let at = 0; at < 10; at += 1) crowding.noteWait(2_000);
  expect(onCrowded).toHaveBeenCalledTimes(1);
});

test('a worker that takes no more runs does not say that it is crowded', () => {
  const { crowding, onCrowded } = crowdingOf(2);
  crowding.close();
  crowding.noteRuns(2);
  crowding.noteWait(2_000);
  vi.advanceTimersByTime(10_000);
  expect(onCrowded).not.toHaveBeenCalled();
});
