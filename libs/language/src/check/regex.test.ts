import { EvaluationError, compilePattern, compileCondition } from '@baton/expressions';
import { describe, expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';

const evaluate = (source: string, inputs: Readonly<Record<string, unknown>> = {}): unknown =>
  compileCondition(source, '').evaluate({ inputs });

describe('A regular expression', () => {
  test.each<readonly [string, unknown]>([
    ['regex.extract("hello, world", "h(.*)o").orValue("-")', 'ello, w'],
    ['regex.extract("abc", "x")', null],
    ['regex.extract("b", "(a)|b").orValue("no group")', 'no group'],
    ['regex.extractAll("id:1 id:22", "id:([0-9]+)")', ['1', '22']],
    ['regex.extractAll("abc", "x")', []],
    ['regex.replace("banana", "a", "x", 2)', 'bxnxna'],
    ['regex.replace("banana", "a", "x", 0)', 'banana'],
    ['regex.replace("banana", "a", "x", -1)', 'bxnxnx'],
    [String.raw`regex.replace("foo bar", r"(\w+) (\w+)", r"\2 \1 \0 \\")`, String.raw`bar foo foo bar \ `.trimEnd()],
    ['regex.replace("a€b", "€", "")', 'ab'],
    ['regex.replace("😀x", "x", "😀")', '😀😀'],
    ['regex.split("a1b22c", "[0-9]+")', ['a', 'b', 'c']],
    ['regex.split("a1b22c", "[0-9]+", 2)', ['a', 'b22c']],
    ['regex.split("äb", "")', ['ä', 'b']],
    ['regex.split("", ",")', ['']],
  ])('%s', (source, value) => {
    expect(evaluate(source)).toEqual(value);
  });

  test.each([
    ['regex.extract("a", inputs.pattern)', { pattern: '(' }, 'the pattern is not one of RE2: missing closing ): `(`'],
    ['regex.extract("a", inputs.pattern)', { pattern: '(a)(b)' }, 'the pattern has 2 groups, and one can be taken out'],
    [String.raw`regex.replace("a", "a", r"\1")`, {}, 'the pattern has no group 1'],
    [String.raw`regex.replace("a", "a", r"\n")`, {}, 'means nothing in a replacement'],
    [
      'regex.split(inputs.text, ",")',
      { text: null },
      'regex.split takes a text as its first argument, and here is null',
    ],
  ])('that cannot be used says why: %s', (source, inputs, message) => {
    expect(() => evaluate(source, inputs)).toThrow(message);
  });

  test.each([
    ['regex.extract(inputs.text, "(")', 'invalid-pattern', 'is not one of RE2'],
    ['regex.extract(inputs.text, "(a)(b)")', 'invalid-pattern', 'has 2 groups'],
    ['regex.extract(inputs.text)', 'expression-arguments', '`regex.extract` has 1 argument here'],
    ['regex.split(inputs.count, ",")', 'expression-type', '`regex.split`'],
    ['regex.find(inputs.text, "a")', 'unknown-function', 'no function "regex.find"'],
  ])('is checked before it runs: %s', (source, code, message) => {
    const file = {
      workflow: 'w',
      inputs: { text: { type: 'string' }, count: { type: 'integer' } },
      steps: [{ set: { a: `\${{ ${source} }}` } }],
    };
    const { findings } = checkWorkflow(JSON.stringify(file));
    expect(findings.map((one) => [one.code, one.message.includes(message)])).toEqual([[code, true]]);
  });
});

/** Each match of `a.*b|a` reads the rest of the text in vain, and there are as many as characters. */
test('A pattern whose matches read the text again and again is charged for each reading, and given up.', () => {
  const pattern = compilePattern('a.*b|a');
  if (typeof pattern === 'string') throw new Error(pattern);
  const text = 'a'.repeat(1_000);
  let read = 0;
  const matches = [...pattern.matchesIn(text, (characters) => (read += characters))];
  expect(matches).toHaveLength(1_000);
  expect(read).toBeGreaterThan(text.length ** 2 / 4);
  const long = { text: 'a'.repeat(100_000) };
  expect(() => evaluate('size(regex.extractAll(inputs.text, "a.*b|a"))', long)).toThrow(EvaluationError);
  expect(() => evaluate('size(regex.extractAll(inputs.text, "a.*b|a"))', long)).toThrow('was given up');
});

test('What people take out of a text of 200,000 characters stays within one evaluation.', () => {
  const line = 'mail ann@example.org or call +49 30 1234; order O-12345 for 12.50 EUR\n';
  const inputs = { text: line.repeat(200_000 / line.length) };
  expect(evaluate(String.raw`size(regex.extractAll(inputs.text, r"[\w.]+@[\w.]+"))`, inputs)).toBe(2_857);
  expect(evaluate(String.raw`size(regex.split(inputs.text, r"\n"))`, inputs)).toBe(2_858);
  expect(evaluate(String.raw`size(regex.replace(inputs.text, r"O-(\d+)", r"\1"))`, inputs)).toBe(194_276);
});
