import { describe, expect, test } from 'vitest';

import { Pace } from './pace.ts';

/** Removes `left` in batches of 100 that take 500 ms each; the pass's length, and the share of it that was work. */
function pass(left: number): { readonly minutes: number; readonly share: number } {
  let now = 0;
  let worked = 0;
  const pace = new Pace(left, () => now);
  for (let done = 0; done < left; done += 100) {
    now += 500;
    worked += 500;
    now += pace.restMs(500, 100);
  }
  return { minutes: now / 60_000, share: worked / now };
}

describe('a pass of retention', () => {
  test('that has little to remove works a fifth of the time', () => {
    expect(pass(20_000).share).toBeCloseTo(0.2);
    expect(new Pace().restMs(500, 100)).toBe(2_000);
  });

  test('that would last longer than half an hour rests less, and is over in time', () => {
    const { minutes, share } = pass(200_000);
    expect(minutes).toBeLessThan(33);
    expect(share).toBeGreaterThan(0.5);
  });

  test('that cannot be over in time leaves others a tenth of the time', () => {
    expect(pass(2_000_000).share).toBeCloseTo(0.9, 1);
  });

  test('never rests for longer than five seconds', () => {
    expect(new Pace(10, () => 0).restMs(60_000, 1)).toBeLessThanOrEqual(5_000);
  });
});
