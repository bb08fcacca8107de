import { TestClock } from '@baton/testing';
import { expect, onTestFinished, test } from 'vitest';

import { BackgroundTask, growingMs } from './backgroundTask.ts';
import { UnavailableError } from './ports/journal.ts';

/** A task whose runs end as `ends` says, and what it tells. */
function taskOf(...ends: (number | Error | Promise<number>)[]) {
  const clock = new TestClock();
  const told: string[] = [];
  let runs = 0;
  const task = new BackgroundTask({
    name: 'seals',
    clock,
    run: async () => {
      runs += 1;
      const end = ends.shift() ?? Infinity;
      if (end instanceof Error) throw end;
      return end;
    },
    onTrouble: ({ message }, what) => told.push(`${what}: ${message}`),
  });
  onTestFinished(() => task.close());
  const waits = async (ms: number): Promise<void> => {
    await expect.poll(() => clock.isAwaited(ms)).toBe(true);
  };
  return { clock, told, task, waits, runs: () => runs };
}

test('the delay of a background task begins when a run ends, and grows with each failure in a row', async () => {
  const away = new UnavailableError('away');
  const { clock, task, waits } = taskOf(500, away, away, 700, away);
  task.start(100);
  for (const ms of [100, 500, growingMs(1), growingMs(2), 700, growingMs(1)]) {
    await waits(ms);
    clock.pass(ms);
  }
  expect([growingMs(2), growingMs(3), growingMs(40)]).toEqual([2_000, 4_000, 15_000]);
});

test('a background task goes on after any error, and tells it once, until it is over or differs', async () => {
  const { clock, told, task, waits } = taskOf(
    new TypeError('a bug'),
    new TypeError('a bug'),
    new Error('away'),
    50,
    new Error('away'),
  );
  task.start();
  for (const ms of [growingMs(1), growingMs(2), growingMs(3), 50, growingMs(1)]) {
    await waits(ms);
    clock.pass(ms);
  }
  expect(told).toEqual(['seals: a bug', 'seals: away', 'seals: away']);
});

test('a row that fails is told once and costs the other rows nothing; a database that is away concerns them all', async () => {
  const { task, told } = taskOf();
  const damaged = (): Promise<never> => Promise.reject(new Error('this row is damaged'));
  expect(await task.tryRow('one', damaged)).toBeUndefined();
  expect(await task.tryRow('two', async () => 'done')).toBe('done');
  await task.tryRow('one', damaged);
  expect(told).toEqual(['seals (one): this row is damaged']);
  await task.tryRow('one', async () => 'repaired');
  await task.tryRow('one', damaged);
  expect(told).toHaveLength(2);
  await expect(task.tryRow('one', () => Promise.reject(new UnavailableError('away')))).rejects.toThrow('away');
});

test('a background task that is woken runs at once, and once more where it ran already', async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const { task, runs, clock, waits } = taskOf(10_000, promise, Infinity);
  task.start();
  await waits(10_000);
  task.wake();
  task.wake();
  task.wake();
  expect(runs()).toBe(2);
  resolve(5);
  await expect.poll(runs).toBe(3);
  clock.pass(20_000);
  await new Promise(setImmediate);
  expect(runs()).toBe(3);
});

test('closing a background task waits for the run in progress, and no other follows', async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const { task, clock, runs } = taskOf(promise);
  task.start();
  task.wake();
  let isClosed = false;
  const closing = task.close().then(() => (isClosed = true));
  expect(task.isClosed).toBe(true);
  await Promise.resolve();
  expect(isClosed).toBe(false);
  resolve(50);
  await closing;
  task.wake();
  expect([clock.isAwaited(50), runs()]).toEqual([false, 1]);
});
