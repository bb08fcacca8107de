import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { LineSplitter, type LongLine } from './lines.ts';

function read(bytesMax: number, chunks: readonly (Buffer | string)[]): (string | LongLine)[] {
  const found: (string | LongLine)[] = [];
  const lines = new LineSplitter(bytesMax, { line: (text) => found.push(text), longLine: (line) => found.push(line) });
  for (const chunk of chunks) lines.push(Buffer.from(chunk));
  return found;
}

/**
 * Goal: where the pipe cuts the bytes does not matter.
 * Method: lines of any text, cut anywhere, even inside a character.
 */
test('lines come out as they went in, however they were cut', () => {
  const line = fc.string({ unit: fc.constantFrom('a', '\r', 'é', '漢', '🙂', '\0'), maxLength: 20 });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.array(fc.nat(300), { maxLength: 8 }), (texts, cuts) => {
      const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
      const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((to, at) => bytes.subarray(places[at], to));
      expect(read(1_000_000, chunks)).toEqual(texts);
    }),
  );
});

test('a line whose bytes are no UTF-8 says so, and the next one is sound', () => {
  const sound: boolean[] = [];
  const lines = new LineSplitter(100, { line: (_, isSound) => sound.push(isSound), longLine: () => {} });
  for (const bytes of [
    [0x61, 0xff, 0x0a, 0x62],
    [0x0a, 0xc3],
    [0xa9, 0x0a],
    [0xc3, 0x0a],
  ])
    lines.push(Buffer.from(bytes));
  lines.push(Buffer.from('what stands for no character, \u{FFFD}, is one\n'));
  expect(sound).toEqual([false, true, true, false, true]);
});

test('a line that has not ended is not a line', () => {
  expect(read(100, ['abc', 'def'])).toEqual([]);
  expect(read(100, ['abc', 'def\n\nx'])).toEqual(['abcdef', '']);
});

test.each([
  ['in one piece', [`${'x'.repeat(50)}\nnext\n`]],
  ['in many', [...Array.from({ length: 50 }, () => 'x'), '\n', 'ne', 'xt\n']],
])('a line that is too long is told by its ends, and the next one is read: %s', (_, chunks) => {
  const [line, next] = read(10, chunks);
  expect(line).toMatchObject({ bytes: 50, tail: 'x'.repeat(50), head: expect.stringMatching(/^x{11,50}$/) as string });
  expect(next).toBe('next');
});

test('of a very long line only the ends are kept', () => {
  const [line] = read(100_000, [
    '{"id":7',
    ...Array.from({ length: 100 }, () => 'x'.repeat(10_000)),
    '"end"}\n',
  ]) as LongLine[];
  expect(line?.bytes).toBe(1_000_013);
  expect(line?.head).toMatch(/^\{"id":7x+$/);
  expect(line?.tail).toMatch(/^x+"end"\}$/);
  expect(line?.head.length).toBeLessThanOrEqual(4_096);
  expect(line?.tail.length).toBeLessThanOrEqual(4_096);
});
