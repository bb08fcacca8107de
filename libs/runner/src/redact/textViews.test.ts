import { array, assert, constantFrom, property } from 'fast-check';
import { expect, test } from 'vitest';

import { decoded } from './escapes.ts';
import { runToEnd } from './slices.ts';
import { viewsOf } from './textViews.ts';

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
const gaps = [
  '\n',
  '\r\n\t ',
  '\x1B[1;31m',
  '\x1B(B',
  '\x1B',
  '\x7F',
  '\xAD',
  '\u200B',
  '\uFEFF',
  '\u{E0041}',
  '\uDB40',
];
const others = ['\\', '%', '&', '&e=', '%4', 'ü', '€', '🎺', 'a', 'x'.repeat(100), 'y'.repeat(63)];
const texts = array(constantFrom(...escapes, ...gaps, ...others), { maxLength: 60 });

const viewTexts = (text: string, isTraced: boolean): string[] =>
  [...viewsOf(text, isTraced)].flatMap((view) => (view === undefined ? [] : [view.text]));

/**
 * Goal: a text is searched for secrets in the same forms in which they are then found in it.
 * Method: random mixtures of escapes, line breaks, unseen characters and other text; the forms with and without the
 * positions are the same.
 */
test('a text has the same forms with and without positions', () => {
  assert(
    property(texts, (parts) => {
      const text = parts.join('');
      expect(viewTexts(text, false)).toEqual(viewTexts(text, true));
    }),
    { numRuns: 1_000 },
  );
});

/**
 * Goal: what is found in a form is removed from the original, and nothing else.
 * Method: a word among random mixtures; in each form that has it whole, its positions lead to its characters.
 */
test('positions in a form lead to the same characters of the original', () => {
  assert(
    property(texts, texts, (before, after) => {
      const text = `${before.join('')}=needle=${after.join('')}`;
      for (const view of viewsOf(text, true)) {
        const at = view?.text.indexOf('needle') ?? -1;
        if (view === undefined || at < 0) continue;
        expect(text.slice(view.startOf(at), view.endOf(at + 'needle'.length))).toBe('needle');
      }
    }),
    { numRuns: 500 },
  );
});

test('many short stretches between escapes keep their order', () => {
  const numbers = Array.from({ length: 50_000 }, (_, index) => String(index));
  expect(runToEnd(decoded(numbers.join('%20'), false))?.text).toBe(numbers.join(' '));
});
