import { expect, test } from 'vitest';

import { diffOf } from './diff.ts';

const said = (before: string, after: string): string =>
  diffOf(before, after)
    .map(({ kind, text }) => `${{ same: ' ', added: '+', removed: '-' }[kind]}${text}`)
    .join('|');

test('lines are kept, added and removed', () => {
  expect(said('a\nb\nc', 'a\nb\nc')).toBe(' a| b| c');
  expect(said('a\nb\nc', 'a\nx\nc')).toBe(' a|-b|+x| c');
  expect(said('a\nb\nc\nd', 'b\nc\ne\nd')).toBe('-a| b| c|+e| d');
  expect(said('', 'a')).toBe('-|+a');
  expect(said('a\na', 'a')).toBe(' a|-a');
});

test('both sides can be read back from it, for any texts', () => {
  const texts = ['', 'a', 'a\nb', 'b\na', 'a\nb\nc\na\nb', 'c\nc\nc', 'x\na\ny\nb\nz'];
  for (const before of texts) {
    for (const after of texts) {
      const lines = diffOf(before, after);
      const side = (not: string): string => lines.flatMap(({ kind, text }) => (kind === not ? [] : [text])).join('\n');
      expect([side('added'), side('removed')]).toEqual([before, after]);
    }
  }
});

test('very long texts are compared as blocks', () => {
  const long = (mark: string): string => Array.from({ length: 3_000 }, (_, at) => `${mark} ${at}`).join('\n');
  expect(diffOf(`first\n${long('a')}\nlast`, `first\n${long('b')}\nlast`)).toHaveLength(6_002);
});
