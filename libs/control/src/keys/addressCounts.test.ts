import { expect, test } from 'vitest';

import { AddressCounts } from './addressCounts.ts';

const minuteMs = 60_000;

/** Seconds; undefined: none. */
const waitOf = (counts: AddressCounts, address: string): string | undefined =>
  counts.refusal(address, 'too many')?.headers['retry-after'];

test('twenty wrong keys within a minute slow their address down until it is over, and no other address', () => {
  let nowMs = 0;
  const failures = new AddressCounts(() => nowMs);
  const note = (times: number): void => {
    for (let count = 0; count < times; count += 1) failures.note('a');
  };
  note(19);
  expect(waitOf(failures, 'a')).toBeUndefined();
  nowMs += 10_000;
  note(1);
  expect([waitOf(failures, 'a'), waitOf(failures, 'b')]).toEqual(['50', undefined]);
  nowMs = minuteMs;
  expect(waitOf(failures, 'a')).toBeUndefined();
  note(19);
  expect(waitOf(failures, 'a')).toBeUndefined();
  note(1);
  expect(waitOf(failures, 'a')).toBe('60');
});

test('An address that is admitted counts, and one that must wait is not admitted.', () => {
  const counts = new AddressCounts(() => 0, 2);
  counts.admit('a', 'too many');
  counts.admit('a', 'too many');
  expect(() => counts.admit('a', 'too many')).toThrow(expect.objectContaining({ code: 'rate-limited' }));
  counts.admit('b', 'too many');
});

test('no more than ten thousand addresses are remembered: the one that was wrong first is forgotten', () => {
  const failures = new AddressCounts(() => 0);
  for (const address of ['a', 'b']) for (let count = 0; count < 20; count += 1) failures.note(address);
  for (let other = 0; other < 9_999; other += 1) failures.note(`10.0.0.${other}`);
  expect([waitOf(failures, 'a'), waitOf(failures, 'b')]).toEqual([undefined, '60']);
});
