import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { cleanText, withoutMiddle } from './cleanText.ts';

test.each([
  ['\u001B[31mred\u001B[0m', 'red'],
  ['\u001B]0;a title\u0007text', 'text'],
  ['\u001B]8;;http://evil/\u001B\\link\u001B]8;;\u001B\\', 'link'],
  ['pass\u200Bword', 'password'],
  ['abc\u202Etxt.exe', 'abctxt.exe'],
  ['\u2066isolated\u2069', 'isolated'],
  ['hi\u{E0069}\u{E0067}\u{E006E}', 'hi'],
  ['bell\u0007 nul\0 c1\u009B', 'bell nul c1'],
  ['lone \uD800 half', 'lone  half'],
  ['one\u2028line', 'oneline'],
  ['a\r\nb\tc', 'a\nb\tc'],
  ['smuggled\uFE01\u{E0100}', 'smuggled'],
  ['ünï©ode 漢字 🙂', 'ünï©ode 漢字 🙂'],
])('%j is shown as %j', (text, shown) => {
  expect(cleanText(text)).toBe(shown);
});

test('it is cut at the limit, and never inside a character', () => {
  expect(cleanText('abcdef', 4)).toBe('abc…');
  expect(cleanText('ab🙂cd', 4)).toBe('ab…');
  expect(cleanText('abcd', 4)).toBe('abcd');
});

test('a text whose middle is left out keeps its beginning and more of its end, and no half of a character', () => {
  expect(withoutMiddle('/home/ada/server.js', 19)).toBe('/home/ada/server.js');
  expect(withoutMiddle('/home/ada/server.js', 16)).toBe('/home…/server.js');
  expect(withoutMiddle('🙂🙂🙂🙂🙂🙂', 8)).toBe('🙂…🙂🙂');
});

test.each(['\u001B]', '\u001B[', '\u009D', '\u009B', '\u001B[;', '\u001B]a;', '\u0090\u001B', '\u001B('])(
  'a text full of the beginning %j is cleaned in time that grows with its length',
  (beginning) => {
    expect(cleanText(beginning.repeat(500_000)).length).toBeLessThan(2_000_000);
  },
);

/**
 * Goal: no text of a server keeps a character that steers a terminal or is invisible.
 * Method: any bytes, with many of the characters that matter among them.
 */
test('the result moves no cursor, hides nothing and is not longer', () => {
  const wild = fc.constantFrom(
    '\u001B',
    '[',
    ']',
    '\u001B]',
    '\u0007',
    '\u200D',
    '\u202E',
    '\u{E0041}',
    '\uD83D',
    '\r',
    '0',
    'm',
  );
  const text = fc.array(fc.oneof(wild, fc.string({ maxLength: 3 })), { maxLength: 30 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.nat(40), (wrote, max) => {
      const clean = cleanText(wrote, max + 1);
      expect(clean).not.toMatch(/[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}]/u);
      expect(clean.length).toBeLessThanOrEqual(max + 1);
      expect(cleanText(clean)).toBe(clean);
      // Where the cut goes through a sequence, nothing is shown that the whole text does not show.
      expect(cleanText(wrote).startsWith(clean.replace(/…$/, ''))).toBe(true);
    }),
  );
});
