import { setImmediate } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { endsWithin, within } from './within.ts';

const never = new Promise<never>(() => {});

/** Time that passes when the test says so. */
function handClock() {
  const due: (() => void)[] = [];
  return {
    pass: () => due.splice(0).forEach((onTime) => onTime()),
    waiting: () => due.length,
    after(_ms: number, onTime: () => void) {
      due.push(onTime);
      return () => void due.splice(due.indexOf(onTime), 1);
    },
  };
}

test('a result that comes in time is the result, and no timer is left', async () => {
  const clock = handClock();
  await expect(within(Promise.resolve('yes'), 10, { clock })).resolves.toBe('yes');
  expect(clock.waiting()).toBe(0);
});

test('a late result is replaced, and without a replacement it is an error', async () => {
  const clock = handClock();
  const replaced = within(never, 10, { clock, onLate: () => 'late' });
  const failed = within(never, 10, { clock });
  clock.pass();
  await expect(replaced).resolves.toBe('late');
  await expect(failed).rejects.toThrow('no answer within 10 ms');
});

test('what onLate throws is what it rejects with', async () => {
  const clock = handClock();
  const onLate = (): never => {
    throw new TypeError('of our own');
  };
  const waiting = within(never, 10, { clock, onLate });
  clock.pass();
  await expect(waiting).rejects.toThrow(TypeError);
});

test('a signal ends the waiting with its reason, also one that was aborted before', async () => {
  const stop = new AbortController();
  const waiting = within(never, 10, { clock: handClock(), signal: stop.signal });
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  const broken = Promise.reject(new Error('ignored'));
  await expect(within(broken, 10, { signal: stop.signal })).rejects.toThrow('stopped');
});

test('a failure after the time has passed is ignored', async () => {
  const clock = handClock();
  const { promise, reject } = Promise.withResolvers<void>();
  const waiting = within(promise, 10, { clock, onLate: () => 'late' });
  clock.pass();
  expect(await waiting).toBe('late');
  reject(new Error('too late to matter'));
  await setImmediate();
});

test('endsWithin says whether it ended well', async () => {
  expect(await endsWithin(Promise.resolve(), 1_000)).toBe(true);
  expect(await endsWithin(Promise.reject(new Error('badly')), 1_000)).toBe(false);
  expect(await endsWithin(never, 1)).toBe(false);
});
