import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { LargeTexts } from './largeTexts.ts';

const texts = new LargeTexts();
const jsonText = (value: object): string => texts.json(value);

const large = `${'a "quoted" line\n'.repeat(5_000)}\u{1F642}\uD800`;

/**
 * Goal: no reader can tell it from `JSON.stringify`.
 * Method: any JSON, with large texts and `undefined` anywhere in it, twice, as the second time the texts are known.
 */
test('it is the text that JSON.stringify makes, with and without large texts', () => {
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(undefined, null, true, 0, -0, 1.5, '', '"', large, large.slice(1)),
      fc.string(),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('a', '2', '1', '"', '__proto__'), tie('value'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(value, (any) => {
      const whole = { any };
      expect(jsonText(whole) === JSON.stringify(whole)).toBe(true);
      expect(jsonText(whole) === JSON.stringify(whole)).toBe(true);
    }),
  );
});

test.each([
  ['deep', Array.from({ length: 20 }).reduce<object>((inner) => ({ inner }), { large })],
  ['wide', { all: Array.from({ length: 200 }, (_, n) => (n === 150 ? large : n)) }],
  ['more than is kept', { texts: Array.from({ length: 18 }, (_, n) => `${n}${'x'.repeat(1_000_000)}`) }],
])('also where a large text is %s', (_, value) => {
  expect(jsonText(value) === JSON.stringify(value)).toBe(true);
});
