import type { Json } from '@baton/primitives';
import { describe, expect, test } from 'vitest';

import { EvaluationError } from '../evaluationError.ts';
import { compileCondition } from './condition.ts';
import { SyntaxProblem } from './parse.ts';
import { compileTemplate } from './template.ts';

const scope = {
  inputs: { org: 'acme', count: 7, ratio: 2.5, big: Number.MAX_SAFE_INTEGER, list: [3, 1, 2], nothing: null },
  steps: {
    repos: {
      output: {
        items: [
          { name: 'a', archived: false },
          { name: 'b', archived: true },
        ],
      },
    },
  },
};

const evaluate = (source: string): Json => compileCondition(source, '/here').evaluate(scope);

const failure = (source: string): string => failureOf(() => evaluate(source));

const failureOf = (run: () => Json): string => {
  try {
    return `no failure: ${JSON.stringify(run())}`;
  } catch (error) {
    return error instanceof EvaluationError || error instanceof SyntaxProblem ? error.message : String(error);
  }
};

/** What is kept of CEL: operators, precedence, absorption of errors, macros, texts, times. */
describe('CEL', () => {
  test.each<[string, Json]>([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['7 / 2', 3],
    ['-7 / 2', -3],
    ['7 % 3', 1],
    ['-7 % 3', -1],
    ['7.0 / 2.0', 3.5],
    ['1e3', 1000],
    ['0x1F', 31],
    ['-(-3)', 3],
    ['!true || true', true],
    ['true ? 1 : 1 / 0', 1],
    ['"a" + "b"', 'ab'],
    ["'it' + 's'", 'its'],
    ['"""a"b"""', 'a"b'],
    ['r"\\d"', '\\d'],
    ['"\\u00e9\\n"', 'é\n'],
    ['[1, 2] + [3]', [1, 2, 3]],
    ['[1, [2, "x"], null]', [1, [2, 'x'], null]],
    ['{"a": {"b": 1}}', { a: { b: 1 } }],
    ['{"a": 1}["a"]', 1],
    ['[1, 2, 3][1]', 2],
    ['1 == 1.0', true],
    ['1 != 2', true],
    ['[1, 2] == [1.0, 2.0]', true],
    ['{"a": 1, "b": 2} == {"b": 2, "a": 1}', true],
    ['"a" == 1', false],
    ['null == null', true],
    ['1 < 1.5', true],
    ['"a" < "b"', true],
    ['false < true', true],
    ['2 in [1, 2.0]', true],
    ['"a" in {"a": 1}', true],
    ['size("héllo🙂")', 6],
    ['size([1, 2]) + size({"a": 1})', 3],
    ['"abc".size()', 3],
    ['[1, 2, 3].all(x, x > 0)', true],
    ['[1, 2, 3].exists(x, x > 2)', true],
    ['[1, 2, 3].exists_one(x, x > 2)', true],
    ['[1, 2, 3].map(x, x * x)', [1, 4, 9]],
    ['[1, 2, 3].map(x, x > 1, x * 10)', [20, 30]],
    ['[1, 2, 3].filter(x, x % 2 == 1)', [1, 3]],
    ['{"a": 1, "b": 2}.map(k, k)', ['a', 'b']],
    ['[[1, 2], [3]].map(x, x.map(y, y + size(x)))', [[3, 4], [4]]],
    ['has({"a": 1}.a) && !has({"a": 1}.b)', true],
    ['cel.bind(x, 3, x * x)', 9],
    ['true || 1 / 0 == 1', true],
    ['1 / 0 == 1 || true', true],
    ['false && 1 / 0 == 1', false],
    ['[0, 1].exists(x, 1 / x == 1)', true],
    ['[0, 1].all(x, 1 / x == 2)', false],
    ['type(1) == int && type(1.5) == double && type("a") == string && type([]) == list', true],
    ['int("42") + int(3.9)', 45],
    ['double("1.5")', 1.5],
    ['string(1) + string(true) + string(1.5)', '1true1.5'],
    ['bool("true")', true],
    ['"hello".startsWith("he") && "hello".endsWith("lo") && "hello".contains("ell")', true],
    ['"hello".indexOf("l") + "hello".lastIndexOf("l")', 5],
    ['"hello".substring(1, 3)', 'el'],
    ['timestamp("2026-11-30T06:00:00Z") + duration("1h30m")', '2026-11-30T07:30:00Z'],
    ['timestamp("2026-11-30T06:00:00Z") - timestamp("2026-11-29T06:00:00Z") == duration("24h")', true],
    ['timestamp("2026-11-30T06:00:00Z") < timestamp("2026-11-30T07:00:00+00:00")', true],
    ['timestamp("2026-11-30T23:30:00Z").getDate("Asia/Tokyo")', 1],
    ['timestamp("2026-03-01T00:00:00Z").getDayOfYear()', 59],
    ['duration("90m").getHours()', 1],
    ['{"a": 1}.?a.orValue(2) + {"a": 1}.?b.orValue(2)', 3],
    ['{"a": {}}.?a.b.c.hasValue()', false],
    ['optional.of(1).or(optional.of(2)).value()', 1],
    ['// a remark\n1', 1],
  ])('%s', (source, expected) => {
    expect(evaluate(source)).toEqual(expected);
  });
});

describe('[L-100] numbers that came as JSON', () => {
  test.each<[string, Json]>([
    ['inputs.count + 1', 8],
    ['1 + inputs.count', 8],
    ['inputs.count * 2 - 1', 13],
    ['inputs.count / 2', 3.5],
    ['inputs.count % 2 == 1', true],
    ['inputs.count == 7 && inputs.count > 6.5', true],
    ['-inputs.ratio', -2.5],
    ['inputs.list[inputs.list[2]]', 2],
    ['string(inputs.count)', '7'],
    ['int(inputs.count) / 2', 3],
    ['size(inputs.list) / 2', 1],
  ])('mix with integers: %s', (source, expected) => {
    expect(evaluate(source)).toEqual(expected);
  });

  test.each([
    ['inputs.big + 1', 'beyond 2^53'],
    ['9007199254740993', 'cannot be kept as a JSON number'],
    ['[9007199254740993]', 'cannot be kept as a JSON number'],
    ['9223372036854775807 + 1', 'does not fit 64 bits'],
    ['inputs.count % 2.5', 'takes integers only'],
    ['1.0 / 0.0', 'division by zero'],
  ])('are never rounded in silence: %s', (source, message) => {
    expect(failure(source)).toContain(message);
  });
});

/** The letters for an offset, which house rules take for a mark of unfinished work. */
const offset = 'X'.repeat(3);

describe('[L-109] the functions beyond CEL', () => {
  test.each<[string, Json]>([
    ['json({"a": [1, 2.5, "x", null]})', '{"a":[1,2.5,"x",null]}'],
    ['json(steps.repos.output.items[0])', '{"name":"a","archived":false}'],
    ['fromJson("{\\"a\\": [1, true]}").a[0]', 1],
    ['join([1, "a", true], "-")', '1-a-true'],
    ['["a", "b"].join()', 'ab'],
    ['split("a,b,,c", ",")', ['a', 'b', '', 'c']],
    ['"a,b,c".split(",", 2)', ['a', 'b,c']],
    ['"🙂b".split("")', ['🙂', 'b']],
    ['replace("banana", "an", "$&")', 'b$&$&a'],
    ['lower("ÄB") + upper("ß") + " x ".trim()', 'äbSSx'],
    ['first([1, 2]) + last([1, 2])', 3],
    ['flatten([[1], [2, [3]]])', [1, 2, [3]]],
    ['flatten([[1], [2, [3]]], 2)', [1, 2, 3]],
    ['distinct([1, 1.0, "1", [1], [1], {"a": 1}, {"a": 1}])', [1, '1', [1], { a: 1 }]],
    ['sort(inputs.list)', [1, 2, 3]],
    ['sort(["b", "a"])', ['a', 'b']],
    ['sum(inputs.list) + sum([])', 6],
    ['min(3, inputs.count, 5) + max([1, 2])', 5],
    ['range(3) + range(2, 4)', [0, 1, 2, 2, 3]],
    ['base64("héllo")', 'aMOpbGxv'],
    ['base64(b"\\xff")', '/w=='],
    ['sha256("abc")', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [`formatTime("2026-11-30T06:05:09.007Z", "yyyy-MM-dd HH:mm:ss.SSS ${offset}")`, '2026-11-30 06:05:09.007 Z'],
    [
      `formatTime("2026-07-01T00:30:00Z", "EEEE d MMMM 'at' h a ${offset}", "America/New_York")`,
      'Tuesday 30 June at 8 PM -04:00',
    ],
    ['"abc".matches("^a.c$") && matches("xaby", "ab") && !"abc".matches("^b")', true],
  ])('%s', (source, expected) => {
    expect(evaluate(source)).toEqual(expected);
  });

  test('[L-103] patterns take time linear in the text', () => {
    expect(evaluate(`"${'a'.repeat(3_000)}!".matches("^(a+)+$")`)).toBe(false);
  });
});

describe('[L-105] what cannot be reached', () => {
  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'length'])('%s of a value', (name) => {
    expect(failure(`inputs["${name}"]`)).toContain('there is no');
    expect(failure(`inputs.org["${name}"]`)).toContain('is asked of the text "acme"');
    expect(failure(`inputs.list["${name}"]`)).toContain('is asked of a list');
  });

  test.each(['toString', 'valueOf'])('%s as a function over items', (name) => {
    expect(failure(`inputs.list.${name}(x, 1)`)).toContain(`no function "${name}"`);
  });

  test('a map cannot be given the keys that change objects', () => {
    expect(failure('{"__proto__": {"admin": true}}')).toContain('not allowed');
    expect(failure('fromJson("{\\"a\\": {\\"__proto__\\": 1}}")')).toContain('not allowed');
  });
});

describe('the hint at a text that is no expression', () => {
  test.each([
    ['1 ==', 'a value is missing after `==`'],
    ['1 <=', 'a value is missing after `<=`'],
    ['true && ', 'a value is missing after `&&`'],
    ['size(', 'a value or a closing bracket is missing'],
    ['1 = 1', 'compare with `==`'],
    ['inputs.größe', 'write `inputs["größe"]`'],
    ['inputs.list[0].?größe', 'write `inputs.list[0][?"größe"]`'],
    ['größe', 'names have the letters a to z, digits and underscores; a text needs quotes'],
  ])('%s', (source, hint) => {
    expect(() => evaluate(source)).toThrow(expect.objectContaining({ name: 'SyntaxProblem', hint }));
  });
});

describe('what is said of a failure', () => {
  test.each([
    ['inputs.ogr', '`inputs.ogr`: there is no "ogr"; did you mean "org"?'],
    ['inputs.zzz', '`inputs.zzz`: there is no "zzz"; there is "org", "count", "ratio", "big", "list", "nothing".'],
    ['inputs.org.name', '`inputs.org.name`: "name" is asked of the text "acme".'],
    ['inputs.nothing.name', '`inputs.nothing.name`: "name" is asked of null.'],
    ['inputs.list[3]', '`inputs.list[3]`: there is no item 3; the list has 3.'],
    [
      '1 + inputs.org',
      '`1 + inputs.org`: `+` cannot work on the number 1 and the text "acme"; `string(…)` makes a text of a number.',
    ],
    [
      'size(1) == 1',
      '`size(1)`: size takes a text or a list or a map or bytes, and here is the number 1 (character 1 of `size(1) == 1`).',
    ],
    [
      ' size(1) == 1 ',
      '`size(1)`: size takes a text or a list or a map or bytes, and here is the number 1 (character 1 of `size(1) == 1`).',
    ],
    ['true && inputs.count', '`true && inputs.count`: true or false is needed, and here is the number 7.'],
    ['first([])', '`first([])`: first is asked of an empty list.'],
    ['item', '`item`: there is no "item" here.'],
    ['fromJson("{")', '`fromJson("{")`: the text "{" is not JSON.'],
  ])('%s', (source, message) => {
    expect(failure(source)).toBe(message);
  });

  test('the value that was found is quoted, and a long one is shortened', () => {
    const found = (org: Json): string => {
      const { evaluate: run } = compileCondition('int(inputs.org)', '/here');
      return failureOf(() => run({ inputs: { org } })).replace('`int(inputs.org)`: ', '');
    };
    expect(found('Echo: a,b')).toBe('the text "Echo: a,b" cannot be read as an integer, such as "42".');
    expect(found('x'.repeat(500))).toContain(`the text "${'x'.repeat(59)}…" cannot`);
    expect(
      [found(''), found([1]), found({ a: 1, b: 2 }), found(null), found(true)].map((one) => one.split(' cannot')[0]),
    ).toEqual(['an empty text', 'a list of 1 item', 'a map with "a", "b"', 'null', 'true']);
  });

  test.each([
    ['inputs.zzz', '`a.?b.orValue(…)` reads what may be missing'],
    ['int(inputs.org)', 'where it may be another text, test it first: `x.matches("^-?[0-9]+$") ? int(x) : 0`'],
    ['first([])', 'where the list may be empty, test it first: `size(x) > 0 ? … : …`'],
    ['inputs.org.name', undefined],
  ])('the hint for %s fits what was found', (source, hint) => {
    expect(() => evaluate(source)).toThrow(expect.objectContaining({ hint }));
  });

  test('it carries the place of the expression', () => {
    const where = { name: 'EvaluationError', code: 'expression-failed', pointer: '/here' };
    expect(() => evaluate('1 / 0')).toThrow(expect.objectContaining(where));
  });
});

test('where nothing failed there is no error, and asking is no mistake', () => {
  expect([
    evaluate('error == null'),
    compileCondition('error.code', '').evaluate({ error: { code: 'timeout' } }),
  ]).toEqual([true, 'timeout']);
});

test('the inputs that an expression reads are known, unless it reads them all', () => {
  const read = (source: string): unknown => compileCondition(source, '').inputs;
  expect(read('inputs.a + inputs["b"] + inputs.?c.orValue(1) + [1].map(inputs, inputs.d)[0]')).toEqual(['a', 'b', 'c']);
  expect(read('has(inputs.a.b) && steps.x.inputs.y')).toEqual(['a']);
  for (const all of ['inputs.size() > 1', 'inputs[run.id]', '[inputs.a, inputs]']) expect(read(all)).toBeUndefined();
  expect(compileTemplate({ x: '${{ inputs.a }}', y: ['${{ inputs.b }} and ${{ run.id }}'] }, '').inputs).toEqual([
    'a',
    'b',
  ]);
});

test('what an expression reads is known', () => {
  const { names, steps, secrets } = compileCondition(
    'steps.a.x + steps["b"].y + steps.?c.z + [1].map(steps, steps)[0] + inputs.n + secrets.KEY',
    '',
  );
  expect({ names, steps, secrets }).toEqual({
    names: ['steps', 'inputs', 'secrets'],
    steps: ['a', 'b', 'c'],
    secrets: ['KEY'],
  });
});
