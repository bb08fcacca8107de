import { expect, test } from 'vitest';

import { isIdentifying, isSameName } from './sameName.ts';

test.each([
  ['cursor', 'nextCursor', true],
  ['page_token', 'nextPageToken', true],
  ['Name', 'name', true],
  ['order_id', 'orderId', true],
  ['id', 'orderId', false],
  ['status', 'statusText', false],
  ['', 'name', false],
  ['x', 'y', false],
])('the names %j and %j mean the same: %s', (one, other, expected) => {
  expect([isSameName(one, other), isSameName(other, one)]).toEqual([expected, expected]);
});

test.each([
  ['orderId', 7, true],
  ['amount', 15, true],
  ['to', 'ops@example.com', true],
  ['which', 'O-17', true],
  ['path', '/data/notes.md', false],
  ['query', 'open faults', false],
  ['limit', 50, false],
])('the input %s, %j, says which order, payment or person is meant: %s', (key, value, expected) => {
  expect(isIdentifying(key, value)).toBe(expected);
});
