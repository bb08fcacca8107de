import { expect, test } from 'vitest';

import { dedupeKey } from './dedupeKey.ts';

test('a short printable text is its own key', () => {
  expect(dedupeKey('order-7')).toBe('order-7');
  expect(dedupeKey(7)).toBe('7');
});

test.each([
  ['a long one', 'x'.repeat(201)],
  ['one that Postgres cannot store', 'a\0b'],
  ['one with spaces', 'a b'],
])('of %s the digest is the key', (_, text) => {
  expect(dedupeKey(text)).toMatch(/^sha256 [0-9a-f]{64}$/);
  expect(dedupeKey(text)).not.toBe(dedupeKey(`${text}x`));
});
