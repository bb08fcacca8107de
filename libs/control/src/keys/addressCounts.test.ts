import { expect, test } from 'vitest';

import { AddressCounts } from './addressCounts.ts';

const minuteMs = 60_000;

test('twenty wrong keys within a minute slow their address down until it is over, and no other address', () => {
  let nowMs = 0;
  const failures = new AddressCounts(() => nowMs);
  const note = (times: number): void => {
    for (let count = 0; count < times; count += 1) failures.note('a');
  };
  note(19);
  expect(failures.waitMs('a')).toBe(0);
  nowMs += 10_000;
  note(1);
  expect([failures.waitMs('a'), failures.waitMs('b')]).toEqual([minuteMs - 10_000, 0]);
  nowMs = minuteMs;
  expect(failures.waitMs('a')).toBe(0);
  note(19);
  expect(failures.waitMs('a')).toBe(0);
  note(1);
  expect(failures.waitMs('a')).toBe(minuteMs);
});

test('no more than ten thousand addresses are remembered: the one that was wrong first is forgotten', () => {
  const failures = new AddressCounts(() => 0);
  for (const address of ['a', 'b']) for (let count = 0; count < 20; count += 1) failures.note(address);
  for (let other = 0; other < 9_999; other += 1) failures.note(`10.0.0.${other}`);
  expect([failures.waitMs('a'), failures.waitMs('b')]).toEqual([0, minuteMs]);
});
