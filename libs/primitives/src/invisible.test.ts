import { expect, test } from 'vitest';

import { hasInvisible, withEscapes, withInvisibleAs, withoutInvisible } from './invisible.ts';

test('JSON that is shown to a person has in escapes what would act on the terminal, and means the same', () => {
  const value = { c1: 'a\u009B31mb', bidi: '\u202Egnp.exe', tag: '\u{E0041}', plain: 'é\u4E2D 😀' };
  const shown = withEscapes(JSON.stringify(value, null, 2));
  expect(shown).toContain(String.raw`a\u009b31mb`);
  expect(shown).toContain(String.raw`\u202egnp.exe`);
  expect(shown).toContain('é\u4E2D 😀');
  expect(shown).not.toMatch(/[\u0080-\u009F\u202E]|\u{E0041}/u);
  expect(JSON.parse(shown)).toEqual(value);
});

/** Turns, hides, or is drawn as nothing. */
const invisible = [
  '\u061C',
  '\u00AD',
  '\u034F',
  '\u115F',
  '\u3164',
  '\uFFA0',
  '\u17B4',
  '\u180B',
  '\u206A',
  '\uFE00',
  '\u{E0100}',
  '\uFFF9',
  '\u{1BCA0}',
  '\u{1D173}',
  '\u200D',
  '\u{E0041}',
  '\uD800',
  '\u2028',
];

test.each(invisible)('the character %j is removed, is found, and is shown by an escape', (character) => {
  const text = `good${character}evil`;
  expect(withoutInvisible(text)).toBe('goodevil');
  expect(hasInvisible(text)).toBe(true);
  expect(withEscapes(text)).toMatch(/^good(\\u[\da-f]{4})+evil$/);
  expect(withInvisibleAs(text, () => '?')).toMatch(/^good\?+evil$/);
});

test('the joiners and selectors of an emoji are shown as they are, and beside one they are not', () => {
  const emoji = '👩\u200D🔧 ❤\uFE0F 🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} 👍🏽';
  expect(hasInvisible(emoji)).toBe(false);
  expect(withEscapes(emoji)).toBe(emoji);
  expect(withEscapes('❤\uFE0F\uFE0F')).toBe(`❤\uFE0F${String.raw`\ufe0f`}`);
});

test('line ends and tabs are seen, also those of Windows, and a lone carriage return is not', () => {
  expect(withEscapes('a\r\nb\tc\nd')).toBe('a\nb\tc\nd');
  expect(withEscapes('a\r\nb\u200B')).toBe(`a\nb${String.raw`\u200b`}`);
  expect(withEscapes('a\rb')).toBe(String.raw`a\u000db`);
});

test.each(['\u001B(B', '\u001B[1;31m', '\u001B]0;title\u0007', '\u009B2J', '\u001BPq\u001B\\', '\u001Bc'])(
  'the terminal sequence %j is removed whole',
  (sequence) => {
    expect(withoutInvisible(`good${sequence}evil`)).toBe('goodevil');
  },
);
