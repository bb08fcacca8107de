import { array, assert, constantFrom, property } from 'fast-check';
import { expect, test } from 'vitest';

import { decoded, decodedText, unwrapped, unwrappedText } from './decodedText.ts';

const escapes = [
  '\\n',
  '\\"',
  '\\u00e9',
  '\\x41',
  '\\u{1F600}',
  '%20',
  '%C3%A9',
  '%F0%9F%98%80',
  '%ff',
  '&lt;',
  '&#65;',
];
const gaps = ['\n', '\r\n\t ', '\x1B[1;31m', '\x1B', '\x7F', '\xAD', '\u200B', '\uFEFF', '\u{E0041}', '\uDB40'];
const others = ['\\', '%', '&', '&e=', '%4', 'ü', '€', 'a', 'x'.repeat(100), 'y'.repeat(63)];
const texts = array(constantFrom(...escapes, ...gaps, ...others), { maxLength: 60 });

/**
 * Goal: a text is searched for secrets in the same form in which they are then found in it.
 * Method: random mixtures of escapes, line breaks, unseen characters and other text; the forms with and without the
 * positions are the same.
 */
test('a text is decoded and unwrapped alike with and without positions', () => {
  assert(
    property(texts, (parts) => {
      const text = parts.join('');
      expect(decoded(text)).toBe(decodedText(text)?.text);
      expect(unwrapped(text) ?? text).toBe(unwrappedText(text)?.text ?? text);
    }),
    { numRuns: 1_000 },
  );
});

test('many short stretches between escapes keep their order', () => {
  const numbers = Array.from({ length: 5_000 }, (_, index) => String(index));
  expect(decoded(numbers.join('%20'))).toBe(numbers.join(' '));
});
