import { expect, test } from 'vitest';

import { type Clock, systemClock } from '../ports/clock.ts';
import { ProgressLog } from './progressLog.ts';

/** Time that passes when it is told to, and the timers in it. */
function handClock(): Clock & { pass: (ms: number) => void } {
  let nowMs = 0;
  let timers: { readonly at: number; readonly callback: () => void }[] = [];
  return {
    ...systemClock,
    monotonic: () => nowMs,
    after: (ms, callback) => {
      const timer = { at: nowMs + ms, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    pass: (ms) => {
      nowMs += ms;
      const due = timers.filter(({ at }) => at <= nowMs);
      timers = timers.filter(({ at }) => at > nowMs);
      for (const { callback } of due) callback();
    },
  };
}

test('of a call that reports every five milliseconds for ten seconds, one event in half a second is recorded', () => {
  const clock = handClock();
  const taken: number[] = [];
  const log = new ProgressLog(clock, () =>
    taken.push(...log.take(0).map((event) => (event.type === 'step.progressed' ? event.progress : NaN))),
  );
  for (let progress = 1; progress <= 2_000; progress += 1) {
    log.note('a', 1, { progress });
    clock.pass(5);
  }
  clock.pass(500);
  expect(taken.length).toBeGreaterThanOrEqual(20);
  expect(taken.length).toBeLessThanOrEqual(22);
  expect(taken[0]).toBe(1);
  expect(taken.at(-1)).toBe(2_000);
});

test('each call has its own interval, and an ended call reports nothing', () => {
  const clock = handClock();
  const log = new ProgressLog(clock, () => undefined);
  log.note('a', 1, { progress: 1 });
  log.note('b', 1, { progress: 1 });
  expect(log.take(0)).toHaveLength(2);
  log.note('a', 1, { progress: 2 });
  log.note('b', 1, { progress: 2 });
  log.forget('a');
  clock.pass(500);
  expect(log.take(0)).toMatchObject([{ path: 'b', progress: 2 }]);
});
