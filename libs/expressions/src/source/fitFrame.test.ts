import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { fitFrame } from './fitFrame.ts';
import { cellsIn, Source } from './source.ts';

const frameOf = (before: number, place: string, after: number): string =>
  new Source(`one\n${'x'.repeat(before)}${place}${'y'.repeat(after)}\nthree`).frame([
    4 + before,
    4 + before + place.length,
  ]);

test('a frame that fits stays as it is', () => {
  const frame = frameOf(20, 'HERE', 20);
  expect(fitFrame(frame, 80)).toEqual(frame.split('\n'));
});

test('a longer line is cut after the place, or on both sides of it', () => {
  expect(fitFrame(frameOf(3, 'HERE', 90), 24)).toEqual([
    '1 | one',
    `2 | xxxHERE${'y'.repeat(12)}…`,
    '  |    ^^^^',
    '3 | three',
  ]);
  expect(fitFrame(frameOf(60, 'HERE', 40), 24)).toEqual([
    '1 | …',
    '2 | …xxxxxHEREyyyyyyyyy…',
    '  |       ^^^^',
    '3 | …',
  ]);
});

/** Goal: the carets stay under their place. Method: any place, any width, narrow and wide characters around it. */
test('the carets stand under the place at any width, and no row is wider', () => {
  const around = fc.array(fc.constantFrom('x', '名', ' '), { maxLength: 100 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(around, around, fc.integer({ min: 30, max: 110 }), (before, after, room) => {
      const text = `${before}HERE${after}`;
      const rows = fitFrame(new Source(text).frame([before.length, before.length + 4]), room);
      const [row = '', carets = ''] = rows;
      expect(rows.filter((one) => cellsIn(one) > room)).toEqual([]);
      const at = row.indexOf('HERE');
      expect(cellsIn(row.slice(0, at))).toBe(carets.indexOf('^'));
      expect(carets.endsWith(' ^^^^')).toBe(true);
    }),
  );
});
