import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { firstRunId, isRunId, newRunId } from './runId.ts';

const instant = fc.integer({ min: 0, max: 2 ** 47 });

test('ids are UUIDv7, and no two are the same', () => {
  const ids = Array.from({ length: 1_000 }, () => newRunId(1_800_000_000_000));
  expect(new Set(ids).size).toBe(1_000);
  expect(ids.every((id) => isRunId(id) && id[14] === '7' && /[89ab]/.test(id[19] ?? ''))).toBe(true);
});

/**
 * Goal: a list that is sorted by id is sorted by time, and a time can be looked up by id.
 * Method: two ids of any two milliseconds, and the first id of the later one.
 */
test('ids are in order of their instants, and none is before the first of its instant', () => {
  fc.assert(
    fc.property(instant, instant, (one, other) => {
      const [earlier, later] = [Math.min(one, other), Math.max(one, other) + 1];
      expect(newRunId(earlier) < newRunId(later)).toBe(true);
      expect(firstRunId(later) <= newRunId(later)).toBe(true);
      expect(newRunId(earlier) < firstRunId(later)).toBe(true);
    }),
  );
});

test.each([-1, Date.parse('1960-01-01T00:00:00Z'), 1.5, 2 ** 48, 8.64e15, -8.64e15, Infinity, -Infinity])(
  'the first id of the instant %d is one that Postgres takes',
  (atMs) => {
    expect(isRunId(firstRunId(atMs))).toBe(true);
    expect(firstRunId(atMs) < newRunId(Date.parse('2026-01-01T00:00:00Z'))).toBe(atMs < 2 ** 40);
  },
);

test.each(['', 'x', '0199aaaa-0000-7000-8000-00000000000', '0199aaaa-0000-7000-8000-000000000001\n', '../..', '\0'])(
  '%j is no run’s id',
  (text) => {
    expect(isRunId(text)).toBe(false);
  },
);
