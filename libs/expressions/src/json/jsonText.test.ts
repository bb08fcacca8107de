import { expect, test } from 'vitest';

import { limits } from '../limits.ts';
import { parseJsonText } from './jsonText.ts';

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test('a text of more levels than a value may have is no JSON', () => {
  expect(JSON.stringify(parseJsonText(nested(limits.value.depth)))).toBe(nested(limits.value.depth));
  expect(parseJsonText(nested(limits.value.depth + 1))).toBeUndefined();
  expect(parseJsonText(`{"a":${nested(limits.value.depth)}}`)).toBeUndefined();
});

test('brackets inside of strings, and lists beside each other, are no levels', () => {
  const text = JSON.stringify([nested(500), '\\"[', ...Array.from({ length: 500 }, () => [])]);
  expect(parseJsonText(text)).toEqual(JSON.parse(text));
});

test('an integer beyond 2^53 keeps its digits, as a text', () => {
  expect(parseJsonText('{"id":7615917337495251231}')).toEqual({ id: '7615917337495251231' });
});

test.each(['', '{', '[1,]', 'null null'])('%j is no JSON', (text) => {
  expect(parseJsonText(text)).toBeUndefined();
});
