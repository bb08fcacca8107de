import { InvariantError } from '@baton/engine';
import { UnavailableError } from '@baton/runner';
import { expect, onTestFinished, test } from 'vitest';

import { growingMs, PeriodicTask } from './periodicTask.ts';
import { TestClock } from './testing/testClock.ts';

test('the delay begins when a run of the task ends, also after a failure', async () => {
  const clock = new TestClock();
  const looks: (() => Promise<number>)[] = [
    async () => 500,
    () => Promise.reject(new UnavailableError('away')),
    () => Promise.reject(new UnavailableError('away')),
    async () => 700,
    () => Promise.reject(new UnavailableError('away')),
  ];
  const told: string[] = [];
  const rounds = new PeriodicTask({
    clock,
    runOnce: () => looks.shift()?.() ?? Promise.reject(new Error('nothing more was to come')),
    onTrouble: ({ message }) => told.push(message),
    awayMs: (failures) => failures * 10,
  });
  onTestFinished(() => rounds.close());
  rounds.start(100);
  for (const ms of [100, 500, 10, 20, 700, 10]) {
    await expect.poll(() => clock.isAwaited(ms)).toBe(true);
    if (looks.length > 0) clock.pass(ms);
  }
  expect(told).toEqual(['away', 'away', 'away']);
});

test('a task that fails with any error runs again, later each time; a bug ends it', async () => {
  const clock = new TestClock();
  const wrongs: unknown[] = [new TypeError('a bug'), 'no error at all', new InvariantError('this cannot be')];
  const told: string[] = [];
  const rounds = new PeriodicTask({
    clock,
    runOnce: () => Promise.reject(wrongs.shift()),
    onTrouble: ({ message }) => told.push(message),
  });
  rounds.start(100);
  for (const ms of [100, growingMs(1), growingMs(2)]) {
    await expect.poll(() => clock.isAwaited(ms)).toBe(true);
    if (ms !== growingMs(2)) clock.pass(ms);
  }
  expect(told).toEqual(['a bug', 'no error at all']);
  expect([growingMs(2), growingMs(3), growingMs(40)]).toEqual([2_000, 4_000, 15_000]);
  clock.pass(growingMs(2));
  // In a process, that is how it ends.
  await expect(rounds.close()).rejects.toThrow('this cannot be');
});

test('closing waits for the current run of the task, and no other follows', async () => {
  const clock = new TestClock();
  const { promise, resolve } = Promise.withResolvers<number>();
  const rounds = new PeriodicTask({ clock, runOnce: () => promise, onTrouble: () => undefined, awayMs: () => 0 });
  rounds.start();
  let isClosed = false;
  const closing = rounds.close().then(() => {
    isClosed = true;
  });
  expect(rounds.isClosed).toBe(true);
  await Promise.resolve();
  expect(isClosed).toBe(false);
  resolve(50);
  await closing;
  expect(clock.isAwaited(50)).toBe(false);
});
