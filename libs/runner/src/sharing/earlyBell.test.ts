import { MemoryBell } from '@baton/testing';
import { expect, test } from 'vitest';

import { bellAheadMs } from '../ports/bell.ts';
import { systemClock } from '../ports/clock.ts';
import { UnavailableError } from '../ports/journal.ts';
import { EarlyBell } from './earlyBell.ts';

function trial(bell = new MemoryBell()) {
  let nowMs = 0;
  const failed: unknown[] = [];
  const clock = { ...systemClock, monotonic: () => nowMs };
  const early = new EarlyBell({ bell, clock, onBellFailed: (error) => failed.push(error) });
  const rung = (): string[] => bell.waiting.map(({ runId }) => runId);
  return { early, rung, failed, pass: (ms: number) => (nowMs += ms) };
}

test('a run that starts alone gets an early bell; one that starts soon after another does not', () => {
  const { early, rung, pass } = trial();
  expect(early.ring('first')()).toBe(true);
  pass(1);
  expect(early.ring('second')()).toBe(false);
  pass(2);
  expect(early.ring('third')()).toBe(false);
  pass(10);
  expect(early.ring('fourth')()).toBe(true);
  expect(rung()).toEqual(['first', 'fourth']);
});

test('a commit that takes longer than workers look gets another bell', () => {
  const { early, pass } = trial();
  const isHeard = early.ring('run');
  pass(bellAheadMs - 1);
  expect(isHeard()).toBe(true);
  pass(1);
  expect(isHeard()).toBe(false);
});

test('a bell that fails is logged, and delays no start', async () => {
  const bell = new MemoryBell();
  const away = new UnavailableError('the queue is away');
  bell.ring = () => Promise.reject(away);
  const { early, failed } = trial(bell);
  early.ring('run');
  await Promise.resolve();
  expect(failed).toEqual([away]);
});
