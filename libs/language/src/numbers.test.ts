import { compileCondition, parseJsonText, readJson } from '@baton/expressions';
import { parseExactly } from '@baton/primitives';
import { assert, bigInt, constantFrom, integer, property, tuple } from 'fast-check';
import { expect, test } from 'vitest';

import { Document } from './yaml/document.ts';

const evaluate = (source: string, scope: object = {}): unknown => compileCondition(source, '').evaluate({ ...scope });

const refused = Symbol('refused');

function attempted(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return refused;
  }
}

/** Each way by which a number that is written as text becomes a value. */
const doors: Readonly<Record<string, (written: string) => unknown>> = {
  'the answer of a tool': (written) => parseExactly(written),
  'a JSON text in an answer': (written) => parseJsonText(`[${written}]`)?.[0 as never],
  fromJson: (written) => attempted(() => evaluate('fromJson(inputs.t)', { inputs: { t: written } })),
  double: (written) => attempted(() => evaluate('double(inputs.t)', { inputs: { t: written } })),
  int: (written) => attempted(() => evaluate('int(inputs.t)', { inputs: { t: written } })),
  'the body of a request': (written) => {
    const reading = readJson(written, 'The body');
    return 'value' in reading ? reading.value : refused;
  },
  'a workflow file': (written) => {
    const { value, problems } = new Document(`n: ${written}`);
    return problems.length > 0 ? refused : (value as { n: unknown }).n;
  },
};

/**
 * Goal: no door rounds an integer in silence.
 * Method: integers of up to 25 digits, more of them around the powers of two where doubles become coarse. Each door
 * gives the same digits, as a number or as a text, or refuses.
 */
test.each(Object.entries(doors))('Through %s, an integer keeps its digits or is refused.', (_, read) => {
  const near = tuple(constantFrom(53n, 54n, 63n, 64n), bigInt(-3n, 3n)).map(([power, by]) => 2n ** power + by);
  assert(
    property(
      constantFrom(1n, -1n),
      constantFrom(near, bigInt(0n, 10n ** 25n)).chain((one) => one),
      (sign, size) => {
        const written = String(sign * size);
        const value = read(written);
        const isKept = value !== refused && BigInt(value as string | number) === sign * size;
        expect(isKept || (value === refused && !Number.isSafeInteger(Number(written)))).toBe(true);
      },
    ),
  );
});

test.each(Object.entries(doors).filter(([name]) => name !== 'int'))(
  'Through %s, digits before the point are kept or the number is refused.',
  (_, read) => {
    expect(['12345678901234567.89', refused]).toContain(read('12345678901234567.89'));
    expect(read('123456789012.89')).toBe(123_456_789_012.89);
  },
);

/**
 * Goal: there is one rule for cents.
 * Method: numbers of up to twelve digits with up to six places, and the places to round to. The expected digits are
 * computed with integers only.
 */
test('`round` and `format` both round as people do, by the decimal digits, and halves away from zero.', () => {
  assert(
    property(
      integer({ min: -1e11, max: 1e11 }),
      integer({ min: 0, max: 6 }),
      integer({ min: 0, max: 6 }),
      (n, of, to) => {
        const x = Number(`${n}e-${of}`);
        const unit = 10n ** BigInt(Math.max(0, of - to));
        const scaled = ((BigInt(Math.abs(n)) + unit / 2n) / unit) * 10n ** BigInt(Math.max(0, to - of));
        const digits = String(scaled).padStart(to + 1, '0');
        const places = digits.slice(digits.length - to);
        const expected = `${n < 0 ? '-' : ''}${digits.slice(0, digits.length - to)}${to === 0 ? '' : `.${places}`}`;
        const scope = { inputs: { x } };
        expect(evaluate(`"%.${to}f".format([inputs.x])`, scope)).toBe(expected);
        expect(evaluate(`round(inputs.x, ${to})`, scope)).toBe(Number(expected));
      },
    ),
  );
});

test.each([
  ['"%.2f".format([2.675])', '2.68'],
  ['"%.2f".format([1.005])', '1.01'],
  ['round(1.005, 2)', 1.01],
  ['"%.2f".format([9007199254740993])', '9007199254740993.00'],
  ['"%.3f".format([1e21])', '1000000000000000000000.000'],
  ['"%.20f".format([0.1])', '0.10000000000000000000'],
  ['"%.1f".format([1.25e-7])', '0.0'],
  ['fromJson("[7615917337495251231, 1e400]")', ['7615917337495251231', '1e400']],
])('%s is %j', (source, value) => {
  expect(evaluate(source)).toEqual(value);
});

test('`fromJson` refuses an object that has a key twice, as the body of a request is refused.', () => {
  expect(() => evaluate(`fromJson('{"a": {"b": 1, "b": 2}}')`)).toThrow('a key twice');
  expect(evaluate(`fromJson('[{"a:b": "c:d"}, {"a:b": 1}]')`)).toEqual([{ 'a:b': 'c:d' }, { 'a:b': 1 }]);
});
