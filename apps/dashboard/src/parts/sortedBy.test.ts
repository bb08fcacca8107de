import { array, assert, boolean, integer, option, property, record } from 'fast-check';
import { expect, test } from 'vitest';

import { sortedBy } from './sortedBy.ts';

const rows = array(record({ n: option(integer(), { nil: undefined }) }));

test('Rows are sorted by a column in both directions, and those without a value come last in each.', () => {
  assert(
    property(rows, boolean(), (all, isDescending) => {
      const sorted = sortedBy(all, ({ n }) => n, isDescending).map(({ n }) => n);
      const known = sorted.filter((n) => n !== undefined);
      expect(sorted.slice(0, known.length)).toEqual(known);
      expect(known).toEqual(known.toSorted((a, b) => (isDescending ? b - a : a - b)));
      expect(sorted).toHaveLength(all.length);
    }),
  );
  expect(sortedBy(['b', 'a', 'c'], (name) => name, false)).toEqual(['a', 'b', 'c']);
});
