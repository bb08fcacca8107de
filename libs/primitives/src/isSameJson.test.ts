import { assert, constant, jsonValue, oneof, property, record } from 'fast-check';
import { expect, test } from 'vitest';

import { canonicalJson } from './canonicalJson.ts';
import { isSameJson } from './isSameJson.ts';

/** The same value with its keys the other way round, and some that are undefined. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toReversed();
  return Object.fromEntries([...members.map(([key, one]) => [key, turned(one)]), ['not there', undefined]]);
}

/**
 * Goal: no two values count as the same that have another spelling, and none as different that have one.
 * Method: pairs of values, often equal, once as they are and once with their keys in another order.
 */
test('Two values are the same JSON where their canonical spellings are the same text.', () => {
  const few = oneof(constant(null), constant([]), constant({}), constant({ a: null }), constant([null]), jsonValue());
  assert(
    property(record({ a: few, b: few }), ({ a, b }) => {
      expect(isSameJson(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
      expect(isSameJson(a, turned(a))).toBe(true);
      expect(isSameJson({ a, b }, { b: turned(b), a })).toBe(true);
    }),
  );
});

test('A value that is not there is null, and a member whose name every object inherits is compared.', () => {
  expect(isSameJson(undefined, null)).toBe(true);
  expect(isSameJson({ constructor: 1 }, { other: 1 })).toBe(false);
  expect(isSameJson({ toString: null }, { other: null })).toBe(false);
});
