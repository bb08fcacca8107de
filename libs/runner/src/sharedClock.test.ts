import { expect, test } from 'vitest';

import { systemClock } from './ports/clock.ts';
import { UnavailableError } from './ports/journal.ts';
import { SharedClock } from './sharedClock.ts';

const start = 1_800_000_000_000;
const hour = 3_600_000;

/** A process whose wall clock can be set, and a Postgres that answers after a while. */
function world({ aheadMs = 0, tookMs = 10 } = {}) {
  const state = { passedMs: 0, aheadMs, tookMs, reading: [] as (string | undefined)[] };
  const clock = new SharedClock({
    own: { ...systemClock, now: () => start + state.passedMs + state.aheadMs, monotonic: () => state.passedMs },
    readTime: async () => {
      state.passedMs += state.tookMs;
      return start + state.passedMs - state.tookMs / 2;
    },
    onWarning: (sentence) => state.reading.push(sentence),
  });
  return { state, clock, truth: () => start + state.passedMs };
}

test('the time is that of Postgres, however wrong the clock of the process is, also after it was set anew', async () => {
  const { state, clock, truth } = world({ aheadMs: hour });
  await clock.measure();
  expect(clock.now()).toBe(truth());
  expect(clock.aheadMs()).toBe(hour);
  state.passedMs += 5_000;
  state.aheadMs = -hour;
  expect(clock.now()).toBe(truth());
  expect(clock.aheadMs()).toBe(-hour);
});

test('a clock that is more than two seconds off is reported once, and once more when it is right again', async () => {
  const { state, clock } = world({ aheadMs: 2_000 });
  await clock.measure();
  expect([clock.warning(), state.reading]).toEqual([undefined, []]);
  state.aheadMs = -4_000;
  expect(clock.warning()).toContain('4 s behind that of Postgres');
  await clock.measure();
  await clock.measure();
  state.aheadMs = 0;
  await clock.measure();
  expect(state.reading).toEqual([expect.stringContaining('decides on no schedules'), undefined]);
});

test('a slow answer does not replace a more accurate time', async () => {
  const { state, clock, truth } = world();
  await clock.measure();
  state.tookMs = 3_000;
  await clock.measure();
  expect(clock.now()).toBe(truth());
});

test('an adopted time counts like a measured one, unless its answer was slow', async () => {
  const { state, clock, truth } = world();
  await clock.measure();
  const wasAhead = 40;
  clock.adopt({ sentAt: state.passedMs, backAt: state.passedMs + 20, timeMs: truth() + 10 + wasAhead });
  expect(clock.now()).toBe(truth() + wasAhead);
  clock.adopt({ sentAt: state.passedMs, backAt: state.passedMs + 3_000, timeMs: truth() + 1_500 });
  expect(clock.now()).toBe(truth() + wasAhead);
});

test('it measures every second, and not while times are adopted as often', async () => {
  let [passedMs, asked] = [0, 0];
  let due: { readonly atMs: number; readonly run: () => void } | undefined;
  const clock = await SharedClock.start({
    own: {
      now: () => start + passedMs,
      monotonic: () => passedMs,
      after: (ms, run) => {
        due = { atMs: passedMs + ms, run };
        return () => undefined;
      },
    },
    readTime: async () => {
      asked += 1;
      return start + passedMs;
    },
    onWarning: () => undefined,
  });
  /** The number of times that it asked in ten seconds. */
  const askedWhile = async (everySecond: () => void): Promise<number> => {
    const before = asked;
    for (const endMs = passedMs + 10_000; passedMs < endMs; passedMs += 100) {
      if (due !== undefined && due.atMs <= passedMs) due.run();
      if (passedMs % 1_000 === 0) everySecond();
      await new Promise(setImmediate);
    }
    return asked - before;
  };
  expect(await askedWhile(() => undefined)).toBeGreaterThanOrEqual(9);
  const tell = (): void => clock.adopt({ sentAt: passedMs, backAt: passedMs, timeMs: start + passedMs });
  expect(await askedWhile(tell)).toBeLessThanOrEqual(1);
  expect(await askedWhile(() => undefined)).toBeGreaterThanOrEqual(8);
});

test('a process that starts asks six times where Postgres does not answer, and once where it refuses', async () => {
  const waits: number[] = [];
  const after = (ms: number, run: () => void): (() => void) => {
    waits.push(ms);
    queueMicrotask(run);
    return () => undefined;
  };
  /** How often it asked, where the first so many fail, and what it rejected with. */
  const askedOf = async (failing: number, error: Error): Promise<[number, unknown]> => {
    let asked = 0;
    const readTime = async (): Promise<number> => {
      asked += 1;
      if (asked <= failing) throw error;
      return start;
    };
    const own = { ...systemClock, after };
    const started = SharedClock.start({ own, readTime, onWarning: () => undefined });
    const thrown: unknown = await started.then(
      (clock) => clock.close(),
      (reason: unknown) => reason,
    );
    return [asked, thrown];
  };
  const away = new UnavailableError('the database cannot be asked now');
  expect(await askedOf(5, away)).toEqual([6, undefined]);
  expect(waits.slice(0, 5)).toEqual([1_000, 1_000, 1_000, 1_000, 1_000]);
  expect(await askedOf(9, away)).toEqual([6, away]);
  const wrong = new Error('no such function');
  expect(await askedOf(9, wrong)).toEqual([1, wrong]);
});

test('each time that Postgres tells, or does not tell, is reported', async () => {
  const told: boolean[] = [];
  let isAway = false;
  const clock = new SharedClock({
    own: systemClock,
    readTime: async () => (isAway ? Promise.reject(new UnavailableError('away')) : start),
    onWarning: () => undefined,
    onAnswer: (hasAnswered) => told.push(hasAnswered),
  });
  await clock.measure();
  isAway = true;
  await expect(clock.measure()).rejects.toThrow('away');
  clock.adopt({ sentAt: 0, backAt: 1, timeMs: start });
  expect(told).toEqual([true, false, true]);
});
