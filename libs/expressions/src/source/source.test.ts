import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { excerpt, printable } from './excerpt.ts';
import { didYouMean, nearest } from './nearest.ts';
import { childOf, segmentsOf } from './pointer.ts';
import { Source } from './source.ts';
import { subjectOf } from './subject.ts';

describe('places', () => {
  test('columns count code points', () => {
    expect(new Source('a\n🙂🙂x').position(6)).toEqual({ line: 2, column: 3 });
  });

  test('the end of the text is a place', () => {
    expect(new Source('a\nb').position(99)).toEqual({ line: 2, column: 2 });
  });

  test('a frame has the neighbours and carets under the place', () => {
    expect(new Source('one\ntwo three\nfour\nfive').frame([8, 13])).toBe(
      '1 | one\n2 | two three\n  |     ^^^^^\n3 | four',
    );
  });

  test('carets stand under characters that take two cells of a terminal', () => {
    const text = 'ｘ: 名前, y';
    expect(new Source(text).frame([3, 5])).toBe(`1 | ${text}\n  |     ^^^^`);
    expect(new Source(text).frame([7, 8]).split('\n')[1]).toBe('  |           ^');
  });

  test('carets end with the line', () => {
    expect(new Source('ab\ncd').frame([1, 5]).split('\n')[1]).toBe('  |  ^');
  });

  test('of a long line, the window around the place is shown', () => {
    const [row = '', carets = ''] = new Source(`${'x'.repeat(500)}HERE${'y'.repeat(500)}`)
      .frame([500, 504])
      .split('\n');
    expect(row.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1)).toBe('HERE');
    expect(row.length).toBeLessThan(140);
  });

  /** Goal: lines and columns are what an editor shows. Method: count them the slow way. */
  test('every offset has the line and column that counting finds', () => {
    const texts = fc.array(fc.constantFrom('a', '\n', '🙂', 'é', ' ', '\r\n')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, fc.nat(40), (text, at) => {
        const before = text.slice(0, Math.min(at, text.length));
        if (/[\ud800-\udbff]$/.test(before)) return;
        const lines = before.split('\n');
        const column = Array.from(lines.at(-1) ?? '').length + 1;
        expect(new Source(text).position(at)).toEqual({ line: lines.length, column });
      }),
    );
  });
});

describe('quoting', () => {
  test('nothing steers the terminal', () => {
    expect(printable('a\u001b[31mb\u202ec\u200bd\u0000')).toBe('a\ufffd[31mb\ufffdc\ufffdd\ufffd');
  });

  test('what is long ends with an ellipsis after 80 characters', () => {
    expect(Array.from(excerpt('🙂'.repeat(200)))).toHaveLength(80);
    expect(excerpt('short')).toBe('short');
  });
});

describe('did you mean', () => {
  test.each([
    ['titel', ['title', 'timeout'], ['title']],
    ['max_parallel', ['maxParallel', 'max'], ['maxParallel', 'max']],
    ['ogr', ['org', 'age'], ['org']],
    ['rep', ['repositories', 'x'], ['repositories']],
    ['TIMEOUT', ['timeout'], ['timeout']],
    ['on', ['if', 'at', 'by'], []],
    ['steps', ['steps'], []],
  ])('%s', (written, names, expected) => {
    expect(nearest(written, names)).toEqual(expected);
  });

  test('at most three are offered', () => {
    expect(didYouMean('aaaa', ['aaab', 'aaac', 'aaad', 'aaae'])).toBe('did you mean "aaab", "aaac" or "aaad"?');
  });
});

test('pointers go there and back', () => {
  expect(segmentsOf(childOf(childOf('', 'a/b~c'), 3))).toEqual(['a/b~c', '3']);
});

test('sentences begin with what they are about', () => {
  expect(subjectOf('/steps/2/timeout', 'The file')).toBe('"timeout"');
  expect(subjectOf('/steps/2', 'The file')).toBe('Item 3 of "steps"');
  expect(subjectOf('', 'The file')).toBe('The file');
});
