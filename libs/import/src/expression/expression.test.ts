import { describe, expect, test } from 'vitest';

import { celOf } from './celOf.ts';
import { javascriptCall, javascriptMethod } from './javascript.ts';
import { parseExpression } from './parse.ts';

const meanings = {
  read: ({
    name,
    argument,
    path,
  }: {
    name: string;
    argument?: string | number | undefined;
    path: readonly unknown[];
  }) => [name, ...(argument === undefined ? [] : [String(argument)]), ...path].join('.'),
  call: javascriptCall,
  method: javascriptMethod,
};
const cel = (code: string): string => celOf(parseExpression(code, 'javascript'), meanings);

test.each([
  ['signs', `${'!'.repeat(20_000)}a`],
  ['operands', Array(20_000).fill('a').join('+')],
])('an expression with too many %s is refused in words', (_, code) => {
  expect(() => cel(code)).toThrow('it has more than 1000 parts');
});

test('an expression with a thousand parts is translated', () => {
  expect(cel(`${'!'.repeat(999)}a`)).toContain('a');
});

describe('an expression of JavaScript as CEL', () => {
  test.each([
    [`$json.name.toLowerCase()`, `lower($json.name)`],
    [`$json["first name"] === 'Ada'`, `$json.first name == "Ada"`],
    [`$json.a > 1 && ($json.b || !$json.c)`, `$json.a > 1 && ($json.b || !$json.c)`],
    [`$json.a ? 'yes' : 'no'`, `$json.a ? "yes" : "no"`],
    [`$json.name || $json.email || 'none'`, `$json.?name.or($json.?email).orValue("none")`],
    [`$('Fetch it').first().json.items.length`, `size($.Fetch it.first.json.items)`],
    [`$json.items.map(i => i.id + 1)`, `$json.items.map(i, i.id + 1)`],
    [`$json.items.filter((i) => i.open).length`, `size($json.items.filter(i, i.open))`],
    ['`Hello ${$json.name}!`', `"Hello " + string($json.name) + "!"`],
    [`JSON.stringify({ a: $json.a, "b c": [1, null] })`, `json({"a": $json.a, "b c": [1, null]})`],
    [`['a', 'b'].includes($json.x)`, `$json.x in ["a", "b"]`],
    [`new Date().toISOString()`, `run.startedAt`],
  ])('%s', (code, expected) => {
    expect(cel(code)).toBe(expected);
  });

  test.each([
    [`$json.text.match(/a+/)`, /is not read|no counterpart/],
    [`(() => { return 1 })()`, /is missing|not read|a name|at its place/],
    [`$json.`, 'a name is missing after a dot'],
    [`$json.a $json.b`, 'it is more than one expression'],
    [`Math.random()`, 'has no counterpart'],
    [`${'('.repeat(100)}1${')'.repeat(100)}`, 'nested too deep'],
  ])('%s has none, and says why', (code, why) => {
    expect(() => cel(code)).toThrow(why);
  });

  test('is of GitHub where that is asked for', () => {
    const github = (code: string): string => celOf(parseExpression(code, 'github'), { read: meanings.read });
    expect(github(`steps.my-step.outputs.tag == 'it''s'`)).toBe(`steps.my-step.outputs.tag == "it's"`);
    expect(github(`github.event.labels.*.name`)).toBe(`github.event.labels.map(one, one.name)`);
  });
});
