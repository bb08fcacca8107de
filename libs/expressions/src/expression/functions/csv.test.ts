import { array, assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';

import { compileCondition } from '../condition.ts';

const evaluate = (source: string, inputs: Readonly<Record<string, unknown>> = {}): unknown =>
  compileCondition(source, '').evaluate({ inputs });

describe('CSV', () => {
  test.each<readonly [string, string, unknown]>([
    [
      'with quotes, line breaks and a byte order mark',
      '\uFEFFa,b\r\n"x, ""y""","1\n2"\r\n',
      [{ a: 'x, "y"', b: '1\n2' }],
    ],
    ['whose last fields are left out', 'a,b\n1', [{ a: '1' }]],
    ['with empty lines', 'a\n\n1\n\n', [{ a: '1' }]],
    ['without anything', '', []],
    ['with a column of a built-in name', 'constructor\n1', [{ constructor: '1' }]],
  ])('%s is read', (_, text, rows) => {
    expect(evaluate('fromCsv(inputs.text)', { text })).toEqual(rows);
  });

  test.each([
    ['a,a\n1,2', 'the first row names the column the text "a" twice'],
    ['a\n1,2', 'row 2 has 2 fields, and the first row names 1'],
    ['a\n"1', 'the text is no CSV in row 2'],
    ['__proto__\n1', 'a column cannot be called "__proto__"'],
  ])('that is broken is told where: %j', (text, message) => {
    expect(() => evaluate('fromCsv(inputs.text)', { text })).toThrow(message);
  });

  test.each([
    ['csv([{"a": 1, "b": null}, {"c": "x;y"}], ";")', 'a;b;c\n1;;\n;;"x;y"'],
    ['csv([[1, true], ["a"]])', '1,true\na'],
    ['csv([[""], ["a"]])', '""\na'],
    ['csv([])', ''],
  ])('is written: %s', (source, text) => {
    expect(evaluate(source)).toBe(text);
  });

  test.each([
    ['csv([{"a": [1]}])', 'a list of 1 item is no field'],
    ['csv([{"a": 1}, [2]])', 'csv takes rows that are all maps or all lists'],
    ['csv([1])', 'csv takes rows that are all maps or all lists'],
    ['fromCsv("a", ".")', 'separates no fields'],
    ['fromCsv(null)', 'fromCsv takes a text as its first argument, and here is null'],
  ])('%s says what it takes', (source, message) => {
    expect(() => evaluate(source)).toThrow(message);
  });
});

/** Goal: nothing is lost on the way. Method: random texts of the characters that CSV is made of, in rows of two or more. */
test('The rows that are written as CSV are read again.', () => {
  const field = string({ unit: constantFrom('a', 'ä', ' ', '"', ',', ';', '\n', '\r', '\t', '\uFEFF', '0') });
  const separators = constantFrom(',', ';', '\t', '|');
  assert(
    property(array(array(field, { minLength: 2, maxLength: 4 })), separators, (rows, separator) => {
      expect(
        evaluate('fromCsvRows(csv(inputs.rows, inputs.separator), inputs.separator)', { rows, separator }),
      ).toEqual(rows);
    }),
  );
});
