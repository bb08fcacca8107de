import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { compileTemplate } from '../template.ts';
import { TextSearch } from './search.ts';

/**
 * Goal: what is found is what V8 finds, however the two texts are made.
 * Method: texts of few letters, where there is much to be misled by, long enough for our own search.
 */
test('[L-104] a part is found where it is', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 4, maxLength: 12 });
  const long = fc.tuple(letters, fc.nat(60)).map(([one, times]) => one.repeat(times));
  fc.assert(
    fc.property(long, letters, fc.nat(700), (text, part, from) => {
      const value = text + 'c'.repeat(1_000);
      const search = new TextSearch(part);
      expect(search.first(value, from)).toBe(value.indexOf(part, from));
      expect(search.last(value, from)).toBe(value.lastIndexOf(part, from));
    }),
    { numRuns: 300 },
  );
});

describe('[L-104] a part that nearly is in a long text', () => {
  const text = 'a'.repeat(1_000_000);
  const scope = {
    inputs: { text, part: `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`, end: `${'a'.repeat(99_999)}b` },
  };

  /** With V8's own search each takes from twenty seconds to a minute. */
  test.each([
    ['inputs.text.contains(inputs.part)', false],
    ['inputs.text.indexOf(inputs.part)', -1],
    ['inputs.text.lastIndexOf(inputs.end)', -1],
    ['size(inputs.text.split(inputs.part))', 1],
    ['size(inputs.text.replace(inputs.part, "x"))', 1_000_000],
    ['size((inputs.text + inputs.end + "-").replace(inputs.end, "", 1))', 1_000_001],
  ])('%s is soon told', (source, value) => {
    expect(compileTemplate(`\${{ ${source} }}`, '').evaluate(scope)).toBe(value);
  });
});
