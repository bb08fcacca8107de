import { compileCondition } from '@baton/expressions';
import { describe, expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';

const scope = {
  inputs: {
    ages: [
      { name: 'Eva', age: 41 },
      { name: 'Abe', age: 7 },
      { name: 'Bo', age: 41 },
    ],
    numbers: [3, 1, 2],
    prices: { tea: 2.5, cake: 4 },
  },
};
const evaluate = (source: string): unknown => compileCondition(source, '').evaluate(scope);

describe('lists', () => {
  test.each([
    ['inputs.ages.sortBy(p, p.age).map(p, p.name)', ['Abe', 'Eva', 'Bo']],
    ['inputs.ages.sortBy(p, -p.age).slice(0, 2).map(p, p.name)', ['Eva', 'Bo']],
    ['inputs.numbers.slice(1)', [1, 2]],
    ['inputs.numbers.slice(0, 9)', [3, 1, 2]],
    ['slice(inputs.numbers, -2)', [1, 2]],
    ['inputs.numbers.reverse()', [2, 1, 3]],
    ['"añb".reverse()', 'bña'],
    [
      'inputs.numbers.zip(["a", "b"])',
      [
        [3, 'a'],
        [1, 'b'],
      ],
    ],
    ['inputs.numbers.reduce(sum, n, 0, sum + n)', 6],
    ['inputs.ages.reduce(all, p, "", all + p.name)', 'EvaAbeBo'],
    ['inputs.ages.groupBy(p, p.age).transformMap(k, v, size(v))', { 7: 1, 41: 2 }],
  ])('%s', (source, value) => {
    expect(evaluate(source)).toEqual(value);
  });
});

describe('maps', () => {
  test.each([
    ['keys(inputs.prices)', ['tea', 'cake']],
    ['inputs.prices.values()', [2.5, 4]],
    ['inputs.prices.merge({"tea": 3, "milk": 1})', { tea: 3, cake: 4, milk: 1 }],
    ['inputs.prices.transformMap(name, price, price * 2)', { tea: 5, cake: 8 }],
    ['inputs.ages.transformMapEntry(i, p, {p.name: i})', { Eva: 0, Abe: 1, Bo: 2 }],
  ])('%s', (source, value) => {
    expect(evaluate(source)).toEqual(value);
  });

  test('a key that comes twice is a failure, and none is lost', () => {
    expect(() => evaluate('inputs.ages.transformMapEntry(i, p, {string(p.age): p.name})')).toThrow(
      'the key "41" comes twice',
    );
  });
});

describe('numbers and texts', () => {
  test.each([
    ['round(2.5)', 3],
    ['round(-2.5)', -3],
    ['round(1.005, 2)', 1.01],
    ['math.round(7 / 2.0)', 4],
    ['floor(-1.5)', -2],
    ['math.ceil(1.2)', 2],
    ['abs(-3)', 3],
    ['padStart("7", 3, "0")', '007'],
    ['7.padStart(3)', '  7'],
    ['urlEncode("a b&c=ä/")', 'a%20b%26c%3D%C3%A4%2F'],
    ['base64Decode("w6RiYw==")', 'äbc'],
    ['base64Decode(base64("ok"))', 'ok'],
    ['"%s is %d, %.2f or %x%%".format(["it", 12, 1.5, 255])', 'it is 12, 1.50 or ff%'],
    ['"%s".format([[1, "a"]])', '[1,"a"]'],
  ])('%s', (source, value) => {
    expect(evaluate(source)).toEqual(value);
  });

  test.each([
    ['base64Decode("%%%")', 'the text is not base64 of UTF-8'],
    ['"%d".format(["a"])', '%d takes a number'],
    ['"%s %s".format([1])', 'has no value'],
    ['"%s".format([1, 2])', 'the text takes 1 values'],
  ])('%s says what is wrong', (source, words) => {
    expect(() => evaluate(source)).toThrow(words);
  });
});

/** Goal: each has its price. Method: each over a list that grows until the budget of one evaluation is spent. */
test.each([
  'range(90000).sortBy(x, -x).sortBy(x, x).sortBy(x, -x).sortBy(x, x).size() > 0',
  'range(300).all(a, range(3000).reduce(s, x, 0, s + x) > 0)',
  'range(300).all(a, range(3000).groupBy(x, x % 7).size() > 0)',
  'range(300).all(a, range(3000).reverse().slice(0, 2000).zip(range(2000)).size() > 0)',
  'range(300).all(a, range(3000).transformMapEntry(i, x, {string(x): x}).merge({"a": 1}).keys().size() > 0)',
  'range(99999).all(a, "%s".format(["abc".padStart(2000)]).size() > 0)',
])('%s is given up in time', (source) => {
  expect(() => evaluate(source)).toThrow('given up');
});

test.each([
  ['inputs.l.sortBy(x, x.nmae)', 'unknown-field'],
  ['inputs.l.groupBy(x, [x])', 'expression-type'],
  ['inputs.l.slice("1")', 'expression-type'],
  ['inputs.l.slice(0, 1)[0].nmae', 'unknown-field'],
  ['inputs.l.groupBy(x, x.name)["a"][0].nmae', 'unknown-field'],
  ['round("1")', 'expression-type'],
  ['inputs.l.reduce(s, x, 0, s + x.nmae)', 'unknown-field'],
  ['merge({"a": 1}, {"b": 2}).c', 'unknown-field'],
  ['inputs.l.sortBy(x)', 'expression-arguments'],
])('%s is told before the run', (source, code) => {
  const text = `workflow: w
inputs: { l: { type: array, items: { type: object, properties: { name: { type: string } }, required: [name], additionalProperties: false } } }
steps:
  - set: { a: '\${{ ${source} }}' }
`;
  expect(checkWorkflow(text).findings.map((one) => one.code)).toEqual([code]);
});

test('words that CEL keeps for later are names like others', () => {
  expect(compileCondition('["a"].map(package, package + package.upper())', '').evaluate({})).toEqual(['aA']);
  expect(compileCondition('import.namespace + package', '').evaluate({ import: { namespace: 1 }, package: 2 })).toBe(3);
});
