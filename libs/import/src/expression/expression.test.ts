import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { celOf } from './celOf.ts';
import { javascriptCall, javascriptMethod } from './javascriptFunctions.ts';
import { readGithub } from './readGithub.ts';
import { readJavascript } from './readJavascript.ts';
import { type Syntax, UnmappedError } from './syntax.ts';

const meanings = {
  read: ({
    name,
    argument,
    path,
  }: {
    name: string;
    argument?: string | number | undefined;
    path: readonly unknown[];
  }) => [name, ...(argument === undefined ? [] : [String(argument)]), ...path].join('.').replaceAll(' ', '_'),
  call: javascriptCall,
  method: (name: string, of: string, args: readonly string[]) => javascriptMethod(name, of, args, undefined),
};
const cel = (code: string): string => celOf(readJavascript(code), meanings);

describe('an expression of hostile size', () => {
  const github = (code: string): string => celOf(readGithub(code), { read: meanings.read });
  const nested = (open: string, inner: string, close: string, times: number): string =>
    open.repeat(times) + inner + close.repeat(times);

  test.each([
    ['signs', cel, `${'!'.repeat(20_000)}a`],
    ['operands', cel, Array(20_000).fill('a').join('+')],
    ['groups in a regular expression', cel, `/${nested('(', '', ')', 20_000)}/`],
    ['signs, of GitHub', github, `${'!'.repeat(20_000)}github.ref`],
    ['operands, of GitHub', github, Array(2_000).fill('1').join(' || ')],
  ])('is refused in words: %s', (_, read, code) => {
    expect(() => read(code)).toThrow('it has more than 1000 parts');
  });

  test('is refused in words: characters, of GitHub', () => {
    expect(() => github(`'${'a'.repeat(30_000)}'`)).toThrow('it has more than 21000 characters');
  });

  test.each([
    ['signs', nested('!', 'a', '', 999)],
    ['parentheses', nested('(', '1', ')', 499)],
    ['lists', nested('[', '1', ']', 499)],
    ['maps', nested('{a:', '1', '}', 249)],
    ['choices', nested('a?', 'a', ':a', 249)],
    ['functions', nested('a.map(b=>', '1', ')', 142)],
    ['texts', nested('`${', 'a', '}`', 166)],
  ])('is translated where it has a thousand parts: %s', (_, code) => {
    expect(cel(code)).toMatch(/[a1]/);
  });
});

describe('an expression of JavaScript as CEL', () => {
  test.each([
    [`$json.name.toLowerCase()`, `lower($json.name)`],
    [`$json["first name"] === 'Ada'`, `$json.first_name == "Ada"`],
    [`$json.a > 1 && ($json.b || !$json.c)`, `$json.a > 1 && ($json.b || !$json.c)`],
    [`$json.a ? 'yes' : 'no'`, `$json.a ? "yes" : "no"`],
    [`$json.a > 1 && 'yes' || 'no'`, `($json.a > 1) ? "yes" : "no"`],
    [
      `$json.name || $json.email || 'none'`,
      `cel.bind(found, $json.?name.orValue(null), found in [null, "", false, 0] ? cel.bind(found, $json.?email.orValue(null), found in [null, "", false, 0] ? "none" : found) : found)`,
    ],
    [`$('Fetch it').first().json.items.length`, `size($.Fetch_it.first.json.items)`],
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
    [` `, 'it is not valid JavaScript'],
    [`$json.`, 'it is not valid JavaScript (Unexpected token (1:6))'],
    [`$json.a = 1`, 'its assignment expression is not read'],
    [`$json.a ** 2`, '"**" has no counterpart'],
    [`$json.a $json.b`, 'it is more than one expression'],
    [`Math.random()`, 'has no counterpart'],
  ])('%s has none, and says why', (code, why) => {
    expect(() => cel(code)).toThrow(why);
  });

  test('is of GitHub where that is asked for', () => {
    const github = (code: string): string => celOf(readGithub(code), { read: meanings.read });
    expect(github(`steps.my-step.outputs.tag == 'it''s'`)).toBe(`steps.my-step.outputs.tag == "it's"`);
    expect(github(`github.event.labels.*.name`)).toBe(`github.event.labels.map(one, one.name)`);
    expect(github(`github.event.issues.*.user.login`)).toBe(`github.event.issues.map(one, one.user.login)`);
    expect(() => github(' ')).toThrow('it is empty');
    expect(() => github('"a"')).toThrow(
      `it is not a valid expression of GitHub (Unexpected symbol: '"a"' at position 1)`,
    );
    expect(() => github(`nothing.here`)).toThrow(
      `it is not a valid expression of GitHub (Unrecognized named-value: 'nothing')`,
    );
  });
});

/**
 * Goal: no expression ends the command: each is translated, or refused in words that do not repeat all of it.
 * Method: signs and words of both languages in any order.
 */
test('any text is translated or refused', () => {
  const words = `. [ ] ( ) { } , : ? ?. ! - + * = == === && || ?? => 'x' " \` \${ } / \\ # @ 0x 1 a github steps
    contains format new this super async await function class import null undefined constructor __proto__ toString`;
  const text = fc.array(fc.constantFrom(' ', ...words.split(/\s+/)), { maxLength: 9 }).map((parts) => parts.join(''));
  const answerTo = (code: string, read: (code: string) => Syntax): string => {
    try {
      return celOf(read(code), meanings);
    } catch (error) {
      if (error instanceof UnmappedError) return error.message;
      throw error;
    }
  };
  fc.assert(
    fc.property(text, fc.constantFrom(readGithub, readJavascript), (code, read) => {
      expect(answerTo(code, read).length).toBeLessThan(1_000);
    }),
    { numRuns: 3_000 },
  );
});
