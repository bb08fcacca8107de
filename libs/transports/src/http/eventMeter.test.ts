import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { EventMeter } from './eventMeter.ts';

const measure = (chunks: readonly string[]): number => {
  const meter = new EventMeter();
  return chunks.reduce((_, chunk) => meter.add(Buffer.from(chunk, 'latin1')), 0);
};

test.each([
  [['data: x\n'], 8],
  [['data: x\n\n'], 0],
  [['data: x\r\n\r\n', 'da'], 2],
  [['data: x\r\rdata'], 4],
  [['a\n\nb\n\nccc'], 3],
  [['aaaa', 'bbbb', 'cccc'], 12],
])('%j leaves an event open of %i bytes', (chunks, bytes) => {
  expect(measure(chunks)).toBe(bytes);
});

/**
 * Goal: an event that is ended is not counted on, and one that is not is counted whole.
 * Method: streams with many line ends, cut anywhere; the whole measured at once is what is compared with. Where a blank
 * line is cut in two, as much as its length may be miscounted.
 */
test('cutting a stream changes the measure by less than a blank line', () => {
  const stream = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r'), maxLength: 60 });
  fc.assert(
    fc.property(stream, fc.array(fc.nat(60), { maxLength: 5 }), (text, cuts) => {
      const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).toSorted((a, b) => a - b), text.length];
      const chunks = places.slice(1).map((to, at) => text.slice(places[at], to));
      expect(Math.abs(measure(chunks) - measure([text]))).toBeLessThanOrEqual(4);
    }),
  );
});
