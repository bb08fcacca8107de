import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';

import { Document } from './document.ts';

const under = (text: string, pointer: string, within?: readonly [number, number]): string => {
  const document = new Document(text);
  const problem = { code: 'wrong-type', pointer, message: '', ...(within === undefined ? {} : { within }) } as const;
  return document.source.text.slice(...document.spanOf(problem));
};

describe('the place of a value', () => {
  test.each([
    ['a scalar', 'a: { b: hello }', '/a/b', 'hello'],
    ['a text with its quotes', 'a: "x y"', '/a', '"x y"'],
    ['a list by its key', 'a:\n  - 1\n  - 2', '/a', 'a'],
    ['a map in a list by its first key', 'a:\n  - b: 1\n    c: 2', '/a/0', 'b'],
    ['nothing by its key', 'a:\nb: 1', '/a', 'a'],
    ['what is missing by what it is missing from', 'a:\n  b: 1', '/a/c', 'a'],
    ['an empty map by itself', 'a:\n  - {}', '/a/0', '{}'],
  ])('%s', (_, text, pointer, expected) => {
    expect(under(text, pointer)).toBe(expected);
  });
});

describe('a place inside a text', () => {
  test.each([
    ['without quotes', 'a: one two'],
    ['in single quotes', "a: 'it''s one two'"],
    ['in double quotes', 'a: "\\u00e9 \\"x\\" one two"'],
    ['over several lines', 'a: zero\n  one two'],
    ['in a block', 'a: |\n  zero\n\n    one two\n'],
    ['folded', 'a: >-\n  zero\n  one\n  one two\n'],
    ['after an astral character', 'a: "\\U0001F642 🙂 one two"'],
  ])('%s', (_, text) => {
    const document = new Document(text);
    const value = (document.value as { a: string }).a;
    const from = value.indexOf('one two');
    expect(under(text, '/a', [from, from + 7])).toBe('one two');
  });

  /**
   * Goal: whichever way a text is written, a place in its value is found in the file.
   * Method: write random texts in every style, mark a word, and look under the place.
   */
  test('is found in every style of writing', () => {
    const styles = ['PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED'] as const;
    const word = fc.constantFrom(
      'one',
      'two',
      '"',
      "'",
      '\\',
      'é',
      '🙂',
      ':',
      '#',
      ' ',
      '\n',
      '\t',
      '-',
      'a b c d e f g h',
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 25 }), fc.constantFrom(...styles), (words, style) => {
        const value = `${words.join('')}MARK${words.toReversed().join('')}`;
        const text = stringify(
          { key: { value } },
          { defaultStringType: style, defaultKeyType: 'PLAIN', lineWidth: 20 },
        );
        const document = new Document(text);
        // The printer folds some texts into others; what counts is what is read.
        const read = (document.value as { key: { value: string } }).key.value;
        const from = read.indexOf('MARK');
        // A long text in double quotes is broken anywhere, by a backslash.
        expect(under(text, '/key/value', [from, from + 4]).replace(/\\\n */, '')).toBe('MARK');
      }),
      { numRuns: 500 },
    );
  });
});

describe('values', () => {
  test('are those of YAML 1.2: no yes, no octal, no dates', () => {
    const { value } = new Document('a: yes\nb: 012\nc: 2024-01-01\nd: 0x1f\ne: ~\nf: 1_000');
    expect(value).toEqual({ a: 'yes', b: 12, c: '2024-01-01', d: 31, e: null, f: '1_000' });
  });

  test('keys are texts', () => {
    expect(new Document('1: a\ntrue: b\nnull: c').value).toEqual({ 1: 'a', true: 'b', null: 'c' });
  });

  test('no key reaches a prototype', () => {
    const { value, problems } = new Document('a: { __proto__: { admin: true }, b: 1 }');
    expect(problems.map(({ code }) => code)).toEqual(['forbidden-key']);
    expect((value as { a: { admin?: boolean } }).a.admin).toBeUndefined();
  });

  test('an unquoted expression in braces is read for what it is', () => {
    const { value, problems } = new Document('with: { url: ${{ inputs.a["x"] }}, b: [${{ c }}] }\nnext: 1');
    expect(value).toEqual({ with: { url: '${{ inputs.a["x"] }}', b: ['${{ c }}'] }, next: 1 });
    expect(problems.map(({ code }) => code)).toEqual(['expression-unquoted', 'expression-unquoted']);
  });
});
