import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { Breaker } from './breaker.ts';

const options = { failures: 3, firstMs: 100, longestMs: 1_000, random: () => 1 };

function broken(): Breaker {
  const breaker = new Breaker(options);
  for (let at = 0; at < 3; at++) breaker.failed(0);
  return breaker;
}

test('failures in a row open it; with an answer between them it stays closed', () => {
  const breaker = new Breaker(options);
  breaker.failed(0);
  breaker.failed(0);
  breaker.answered();
  breaker.failed(0);
  breaker.failed(0);
  expect(breaker.tryAfterMs(0)).toBe(0);
  breaker.failed(0);
  expect(breaker.tryAfterMs(40)).toBe(60);
});

test('after its time one try is made, and everyone else waits for how it ends', () => {
  const breaker = broken();
  expect(breaker.tryAfterMs(100)).toBe(0);
  expect(breaker.state.kind).toBe('half-open');
  expect(breaker.tryAfterMs(100)).toBeGreaterThan(0);
});

test('each failed try makes the next pause longer, up to a limit', () => {
  const breaker = broken();
  const pauses: number[] = [];
  for (let now = 0; pauses.length < 6;) {
    const pause = breaker.tryAfterMs(now);
    pauses.push(pause);
    now += pause;
    expect(breaker.tryAfterMs(now)).toBe(0);
    breaker.failed(now);
  }
  expect(pauses).toEqual([100, 200, 400, 800, 1_000, 1_000]);
});

test('a day of failures changes nothing about that: half a minute at most between tries, and an answer ends it', () => {
  const breaker = new Breaker({ failures: 5, firstMs: 500, longestMs: 30_000, random: () => 0.999 });
  const dayMs = 24 * 60 * 60_000;
  let tries = 0;
  let longestMs = 0;
  let stillClosed = 0;
  let end = 0;
  for (let now = 0; now < dayMs; tries++) {
    const waitMs = breaker.tryAfterMs(now);
    longestMs = Math.max(longestMs, waitMs);
    now += waitMs;
    // Allowed by now, and so it is tried.
    stillClosed += breaker.tryAfterMs(now);
    breaker.failed(now);
    end = now;
  }
  expect(stillClosed).toBe(0);
  expect(longestMs).toBeLessThanOrEqual(30_000);
  expect(tries).toBeGreaterThanOrEqual(dayMs / 30_000);
  expect(breaker.tryAfterMs(end + longestMs)).toBe(0);
  breaker.opened();
  breaker.answered();
  expect(breaker.state).toEqual({ kind: 'closed', failures: 0 });
});

test('a session that opens is tried with calls, and the first failure after it opens the breaker again', () => {
  const breaker = broken();
  breaker.tryAfterMs(100);
  breaker.opened();
  expect(breaker.tryAfterMs(100)).toBe(0);
  breaker.failed(100);
  expect(breaker.state.kind).toBe('open');
});

test('an answer closes it for good, and a person’s request for one try', () => {
  const answered = broken();
  answered.answered();
  expect(answered.state).toEqual({ kind: 'closed', failures: 0 });
  const forgiven = broken();
  forgiven.forgive();
  expect(forgiven.tryAfterMs(0)).toBe(0);
  forgiven.failed(0);
  expect(forgiven.state.kind).toBe('open');
});

/**
 * Goal: it never gives up.
 * Method: any history, then time alone; a try must be allowed within the longest pause.
 */
test('after anything that happened, a try is allowed again in bounded time', () => {
  const event = fc.constantFrom('failed', 'opened', 'answered', 'forgive', 'try');
  fc.assert(
    fc.property(fc.array(event, { maxLength: 100 }), fc.double({ min: 0, max: 0.99, noNaN: true }), (events, draw) => {
      const breaker = new Breaker({ ...options, random: () => draw });
      let now = 0;
      for (const one of events) {
        now += 7;
        if (one === 'failed') breaker.failed(now);
        else if (one === 'try') breaker.tryAfterMs(now);
        else breaker[one]();
      }
      // A try that is under way ends: well or badly.
      if (breaker.state.kind === 'half-open') breaker.failed(now);
      const waitMs = breaker.tryAfterMs(now);
      expect(waitMs).toBeLessThanOrEqual(options.longestMs);
      // The caller that got 0 makes the try, and no other may until it ends.
      expect(waitMs > 0 ? breaker.tryAfterMs(now + waitMs) : 0).toBe(0);
    }),
    // Its pause was over when it was asked: that was the try.
    { examples: [[['failed', 'failed', 'failed', 'opened', 'try', 'opened', 'opened'], 0]] },
  );
});
