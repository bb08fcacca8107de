import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { matchesGlob } from './glob.ts';

test.each([
  ['get_*', 'get_issue', true],
  ['get_*', 'forget_issue', false],
  ['*_issue', 'get_issue', true],
  ['g?t_*', 'get_', true],
  ['*', '', true],
  ['', 'x', false],
  ['a.b', 'axb', false],
  ['**a**b', 'xaxb', true],
])('%s over %s: %s', (pattern, text, expected) => {
  expect(matchesGlob(pattern, text)).toBe(expected);
});

/**
 * Goal: the same verdict as the textbook definition.
 * Method: small alphabets, so that matches are common; a recursive definition beside it.
 */
test('it agrees with its definition', () => {
  const matches = (pattern: string, text: string): boolean => {
    if (pattern === '') return text === '';
    if (pattern[0] === '*') return matches(pattern.slice(1), text) || (text !== '' && matches(pattern, text.slice(1)));
    return text !== '' && (pattern[0] === '?' || pattern[0] === text[0]) && matches(pattern.slice(1), text.slice(1));
  };
  const of = (...letters: string[]) => fc.string({ unit: fc.constantFrom(...letters), maxLength: 8 });
  fc.assert(
    fc.property(of('a', 'b', '*', '?'), of('a', 'b'), (pattern, text) => {
      expect(matchesGlob(pattern, text)).toBe(matches(pattern, text));
    }),
  );
});

test('a pattern that would hold a backtracking matcher for ever is answered at once', () => {
  expect(matchesGlob(`${'*a'.repeat(50)}b`, 'a'.repeat(10_000))).toBe(false);
});
