import { array, assert, constantFrom, json, property } from 'fast-check';
import { expect, test } from 'vitest';

import { exactNumbers, parseExactly } from './exactNumbers.ts';

test.each([
  ['{"id":1152921504606846977}', '{"id":"1152921504606846977"}'],
  ['[-9007199254740993,9007199254740993]', '["-9007199254740993","9007199254740993"]'],
  // Two to the sixtieth is a number of its own here, and would still be written otherwise.
  ['1152921504606846976', '"1152921504606846976"'],
  ['{"big":1e400,"small":-1E+999}', '{"big":"1e400","small":"-1E+999"}'],
  [
    '{"cents":12345678901234567.89,"floats":[9007199254740993.0]}',
    '{"cents":"12345678901234567.89","floats":["9007199254740993.0"]}',
  ],
])('%s is read as %s', (json, read) => {
  expect(exactNumbers(json)).toBe(read);
});

test.each([
  '{"id":9007199254740991,"other":-9007199254740991}',
  '1152921504606847000',
  '9007199254740992.0',
  '[0.30000000000000004,1.7976931348623157e308,5e-324,1e-400]',
  '{"text":"1152921504606846977 and \\"1e400\\\\","9007199254740993":1}',
])('%s stays as it is', (json) => {
  expect(exactNumbers(json)).toBe(json);
});

/**
 * Goal: every value that Baton writes and reads again is unchanged.
 * Method: any JSON value, as text; the same text is expected.
 */
test('what JavaScript wrote is left alone', () => {
  assert(
    property(json(), (written) => {
      expect(exactNumbers(written)).toBe(written);
    }),
  );
});

/**
 * Goal: reading a value finds the same numbers as searching its text does.
 * Method: random lists, also nested, of numbers at the edges of what JavaScript holds.
 */
test('a value is read with its numbers exact', () => {
  const edges = [
    '9007199254740991',
    '9007199254740992',
    '90071992547409931.5',
    '-9007199254740993',
    '1e400',
    '-1E+999',
    '1e-400',
    '1e22',
  ];
  const others = ['1.5', '-0', '0.1234567890123456789', '"1e400 and 9007199254740993"', '{"9007199254740993":[1e999]}'];
  assert(
    property(array(constantFrom(...edges, ...others), { minLength: 1 }), constantFrom(1, 300), (written, depth) => {
      const text = `${'['.repeat(depth)}${written.join(', ')}${']'.repeat(depth)}`;
      expect(parseExactly(text)).toEqual(JSON.parse(exactNumbers(text)));
    }),
  );
});
