import { describe, expect, test } from 'vitest';

import { jsonText } from './json.ts';
import { oneLine, truncate, widthOf, wrap } from './text.ts';

describe('text from elsewhere', () => {
  test('is one line without control characters', () => {
    expect(oneLine('a\r\n\tb\u001B[31m\u0007c')).toMatch(/^a b.*c$/);
    expect(oneLine('a\u001B[2J\u202Eb').match(/[\p{Cc}\p{Cf}]/gu)).toBe(null);
  });

  test('is cut by cells, not by characters', () => {
    expect(truncate('很长的标题', 6)).toBe('很长…');
    expect(widthOf(truncate('👩‍👩‍👧 family and more', 8))).toBeLessThanOrEqual(8);
    expect(truncate('fits', 4)).toBe('fits');
    expect(truncate('anything', 0)).toBe('');
  });

  test('is wrapped at spaces, and a path stays whole', () => {
    expect(wrap('ENOENT: no such file, open /a/very/long/path/to/a/file.md', 20)).toEqual([
      'ENOENT: no such',
      'file, open',
      '/a/very/long/path/to/a/file.md',
    ]);
    expect(wrap('  fits as it is', 20)).toEqual(['  fits as it is']);
  });

  test('loses nothing as JSON, and cannot move a cursor there either', () => {
    const value = { it: '\u001B[2J\u0085\u2028\u202E😀' };
    expect(jsonText(value).match(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}]/gu)).toBe(null);
    expect(JSON.parse(jsonText(value))).toEqual(value);
    expect(jsonText({ a: [1] }, 'line')).toBe('{"a":[1]}');
  });
});
