import type { Json, JsonSchema } from '@baton/primitives';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { limits } from '../limits.ts';
import { validator } from './validator.ts';

const errors = (schema: JsonSchema, value: Json): string[] => {
  const { validate, refusal } = validator(schema);
  return validate === undefined
    ? [`refused: ${refusal}`]
    : validate(value).map((one) => `${one.pointer} ${one.message}`);
};

const repo: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2 },
    stars: { type: 'integer', minimum: 0 },
    kind: { enum: ['app', 'lib'] },
  },
  required: ['name'],
  additionalProperties: false,
};

describe('a value', () => {
  test('that fits has no errors', () => {
    expect(errors(repo, { name: 'ab', stars: 3, kind: 'lib' })).toEqual([]);
  });

  test('that does not is told all that is wrong with it, where, and what was perhaps meant', () => {
    expect(validator(repo).validate?.({ nmae: 'x', stars: -1, kind: 'apps' })).toEqual([
      { pointer: '', message: 'The key "name" is missing.', expected: 'name' },
      {
        pointer: '/nmae',
        message: '"nmae" is superfluous: only "name", "stars" and "kind" are allowed.',
        expected: 'name, stars or kind',
        found: 'nmae',
        hint: 'did you mean "name"?',
      },
      { pointer: '/stars', message: '"stars" has to be at least 0.', expected: 'at least 0', found: '-1' },
      {
        pointer: '/kind',
        message: '"kind" cannot be "apps".',
        expected: 'app or lib',
        found: '"apps"',
        hint: 'did you mean "app"?',
      },
    ]);
  });

  test.each<[JsonSchema, Json, string]>([
    [{ type: 'string' }, 1, ' The value has to be a text, and here is a number.'],
    [{ type: ['string', 'null'] }, 1, ' The value has to be a text or nothing, and here is a number.'],
    [{ items: { type: 'string' } }, ['a', 1], '/1 Item 2 has to be a text, and here is a number.'],
    [{ maxLength: 2 }, 'abc', ' The value has to have at most 2 characters.'],
    [{ minItems: 1 }, [], ' The value has to have at least 1 item.'],
    [{ exclusiveMaximum: 3 }, 3, ' The value has to be less than 3.'],
    [{ multipleOf: 2 }, 3, ' The value is no multiple of 2.'],
    [{ const: 'a' }, 'b', ' The value can only be one value.'],
    [{ pattern: '^a' }, 'b', ' The value does not have the form that is asked for.'],
    [{ format: 'date-time' }, 'soon', ' The value has to be a time such as 2026-12-24T17:30:00Z, and is "soon".'],
    [{ format: 'date' }, '24.12.2026', ' The value has to be a date such as 2026-12-24, and is "24.12.2026".'],
    [{ format: 'uri' }, 'a b', ' The value has to be an address such as https://example.com/a.'],
    [{ format: 'json-pointer' }, 'a', ' The value is no json-pointer.'],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      ' The value holds something twice.',
    ],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, true, ' The value fits none of the alternatives.'],
    [{ not: { type: 'string' } }, 'a', ' The value is ruled out.'],
    [false, 1, ' The value cannot be there at all.'],
  ])('%j against %j', (schema, value, expected) => {
    expect(errors(schema, value)).toEqual([expected]);
  });

  test('may hold values like itself', () => {
    const tree: JsonSchema = {
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#' } } },
      additionalProperties: false,
    };
    expect(errors(tree, { children: [{ children: [] }, { child: [] }] })).toEqual([
      '/children/1/child "child" is superfluous in item 2 of "children": only "children" is allowed.',
    ]);
  });

  test('is held to draft 7 where the schema says so, as many servers do', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      items: [{ type: 'string' }],
      definitions: { a: {} },
    };
    expect(errors(schema, [1])).toEqual(['/0 Item 1 has to be a text, and here is a number.']);
  });
});

test('each schema has its own patterns', () => {
  expect([errors({ pattern: '^a' }, 'a'), errors({ pattern: '^b' }, 'a')].map((one) => one.length)).toEqual([0, 1]);
});

describe('a schema from anywhere', () => {
  test.each<[string, JsonSchema, string]>([
    ['refers elsewhere', { $ref: 'https://example.com/schema' }, 'never fetched'],
    ['refers to nothing', { $ref: '#/$defs/a' }, 'is not in it'],
    ['is no schema', { type: 'strng' }, 'not a JSON Schema'],
    ['has a pattern that takes its time', { pattern: '(?=a)b' }, 'not one of RE2'],
    ['is large', { description: 'x'.repeat(70_000) }, 'more than 65536 characters'],
    [
      'has many keywords',
      { properties: Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`k${i}`, { type: 'string' }])) },
      'more than 400 keywords',
    ],
    [
      'asks for much of each key',
      { dependentRequired: { a: Array.from({ length: 600 }, (_, i) => `k${i}`) } },
      'more than 400 keywords',
    ],
    [
      'has many alternatives',
      { oneOf: Array.from({ length: 120 }, (_, i) => ({ const: i })) },
      'more than 400 keywords',
    ],
    [
      'repeats itself in its patterns',
      { items: { anyOf: Array.from({ length: 9 }, (_, i) => ({ pattern: `([a-z]{0,99}${i}){0,15}` })) } },
      'regular expressions are together too large',
    ],
    ['has dynamic references', { $dynamicRef: '#a' }, 'dynamic'],
  ])('is refused where it %s', (_, schema, reason) => {
    expect(validator(schema).refusal).toContain(reason);
  });

  const nested = (times: number): JsonSchema => {
    let schema: JsonSchema = { type: 'string' };
    for (let i = 0; i < times; i++) schema = { properties: { a: schema } };
    return schema;
  };

  test('is refused where it nests without end, and from the first schema that is too deep', () => {
    expect(validator(nested(5_000)).refusal).toContain('nested');
    expect(validator(nested(limits.schema.depth)).refusal).toContain(`more than ${limits.schema.depth} schemas deep`);
    expect(validator(nested(limits.schema.depth - 1)).refusal).toBeUndefined();
  });

  test('with an id of its own does not meet another with that id', () => {
    expect(errors({ $id: 'https://example.com/a', type: 'string' }, 1)).toHaveLength(1);
    expect(errors({ $id: 'https://example.com/a', type: 'number' }, 1)).toEqual([]);
  });

  test('may have properties of any name', () => {
    const schema: JsonSchema = {
      properties: { $ref: { type: 'string' }, enum: { type: 'number' }, default: { const: { a: 1 } } },
    };
    expect(errors(schema, { $ref: 'x', enum: 1, default: { a: 1 } })).toEqual([]);
  });
});

/** Goal: no schema and no value holds the process. Method: those that would, each of a kind. */
describe('what would take forever is given up', () => {
  const given = ['The value is too large, or its schema too involved, to be checked.'].map((one) => ` ${one}`);

  test.each([12, 18, 30])('alternatives that double at each of %i levels', (levels) => {
    const $defs = Object.fromEntries(
      Array.from({ length: levels }, (_, i) => [
        `a${i}`,
        { anyOf: [{ $ref: `#/$defs/a${i + 1}` }, { $ref: `#/$defs/a${i + 1}` }] },
      ]),
    );
    const leaf = { [`a${levels}`]: { type: 'string' } };
    const [found = ''] = errors({ $defs: { ...$defs, ...leaf }, $ref: '#/$defs/a0' }, 1);
    expect([
      ...given,
      ' The value fits none of the alternatives.',
      ' The value has to be a text, and here is a number.',
    ]).toContain(found);
  });

  test('a schema that is itself', () => {
    expect(errors({ $ref: '#' }, 1)).toEqual(given);
  });

  test('a value without end', () => {
    let value: Json = {};
    for (let i = 0; i < 50_000; i++) value = { next: value };
    expect(errors({ properties: { next: { $ref: '#' } } }, value)).toEqual(given);
  });

  test('a hundred thousand errors are not collected', () => {
    const items: Json = Array.from({ length: 5_000 }, () => ({}));
    const schema = { items: { required: Array.from({ length: 200 }, (_, i) => `k${i}`) } };
    expect(errors(schema, items)).toEqual(['/0 The key "k0" is missing.']);
  });

  test('a pattern over a long text', () => {
    expect(errors({ pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}!`)).toHaveLength(1);
    const slow = { items: { pattern: '(?:a?b?){100}c' } };
    expect(
      errors(
        slow,
        Array.from({ length: 100 }, () => `${'ab'.repeat(20_000)}c`),
      ),
    ).toEqual(given);
  });

  const many = (count: number, of: (i: number) => [string, Json]): { [key: string]: Json } =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => of(i)));
  const each = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i));

  test.each<[string, JsonSchema, () => Json]>([
    [
      'a long text, measured again and again',
      { allOf: each(99, (i) => ({ maxLength: 9e6 + i })) },
      () => 'é'.repeat(4e6),
    ],
    [
      'many keys, counted again and again',
      { allOf: each(99, () => ({ minProperties: 1 })) },
      () => many(1e5, (i) => [`k${i}`, i]),
    ],
    [
      'many keys against many names',
      { properties: many(480, (i) => [`p${i}`, true]), additionalProperties: false },
      () => many(1e5, (i) => [`k${i}`, i]),
    ],
    ['a long constant', { items: { const: each(9_999, (i) => i) } }, () => Array(2_000).fill(each(9_999, (i) => i))],
    ['a long list of values', { items: { not: { enum: each(9_999, (i) => -i) } } }, () => each(9_999, (i) => i + 1)],
    [
      'a long list of keys',
      { items: { required: each(4_999, (i) => `k${i}`) } },
      () => Array(2_000).fill(many(4_999, (i) => [`k${i}`, i])),
    ],
    [
      'addresses that nearly are some',
      { items: { format: 'url' } },
      () => each(2_000, () => `http://${'a'.repeat(2_000)}.example`),
    ],
    ['a long list without repetitions', { uniqueItems: true }, () => each(400_000, (i) => i)],
    ['large items without repetitions', { uniqueItems: true }, () => [many(2e5, (i) => [`k${i}`, i])]],
  ])('%s', (_, schema, value) => {
    expect(errors(schema, value())).toEqual(given);
  });

  test('while long lists that fit are simply checked', () => {
    const items = Array.from({ length: 30_000 }, (_, i) => ({ name: `n${i}`, stars: i }));
    expect(errors({ type: 'array', items: repo, uniqueItems: true }, items)).toEqual([]);
  });
});

describe('A schema in which Ajv loses count of the evaluated members is answered', () => {
  const other = { properties: { a: {} }, dependentSchemas: { a: { required: ['b'] } } };

  test('A schema with `patternProperties` beside conditions is checked.', () => {
    const schema = { patternProperties: { '^t': { type: 'string' } }, if: false, else: other };
    expect([errors(schema, { title: 'x' }), errors(schema, { title: 1 }).length]).toEqual([[], 1]);
  });

  test('A value that makes the code for all errors fail has its first error.', () => {
    const schema = { patternProperties: { '^t': {} }, if: false, else: { ...other, unevaluatedProperties: false } };
    expect(errors(schema, { title: 'x' })).toEqual(['/title "title" is superfluous.']);
  });
});

/** Goal: an answer for any schema and value. Method: random JSON for both. */
test('nothing throws', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (schema, value) => {
      const { validate, refusal } = validator(schema as JsonSchema);
      expect(validate === undefined ? refusal : validate(value as Json)).toBeDefined();
    }),
  );
});
