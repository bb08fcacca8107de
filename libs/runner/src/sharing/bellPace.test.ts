import { expect, test } from 'vitest';

import { BellPace } from './bellPace.ts';

test('a few bells leave at once', () => {
  const pace = new BellPace(10);
  expect(pace.waitMs(0)).toBe(0);
  for (let now = 0; now < 100; now += 3) {
    expect(pace.waitMs(now)).toBe(0);
    pace.noteLeaving(1, now);
  }
});

test('many bells leave together', () => {
  const pace = new BellPace(10);
  pace.noteLeaving(7, 0);
  pace.noteLeaving(8, 1);
  expect(pace.waitMs(2)).toBe(0);
  pace.noteLeaving(1, 2);
  expect([2, 5, 12, 29].map((now) => pace.waitMs(now))).toEqual([10, 7, 0, 0]);
  pace.noteLeaving(20, 12);
  expect(pace.waitMs(13)).toBe(9);
});

test('after many, a bell that comes alone leaves at once', () => {
  const pace = new BellPace(40);
  pace.noteLeaving(100, 0);
  expect(pace.waitMs(29)).toBe(11);
  expect(pace.waitMs(30)).toBe(0);
});
