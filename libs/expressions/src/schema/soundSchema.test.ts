import type { Json, JsonObject } from '@baton/primitives';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { metaErrors } from './ajv.ts';
import { soundSchema } from './soundSchema.ts';
import { usableSchema } from './usableSchema.ts';
import { validator } from './validator.ts';
import { vocabulary } from './vocabulary.ts';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });

describe('what is certain is repaired without a word', () => {
  test.each<[string, Json, JsonObject]>([
    ['nothing', null, { type: 'object' }],
    ['an empty list', [], { type: 'object' }],
    ['true', true, { type: 'object' }],
    [
      'keywords that are null',
      { type: 'object', properties: null, required: null, description: null, $defs: null },
      { type: 'object' },
    ],
    [
      'lists for maps',
      { type: 'object', properties: [], $defs: [], patternProperties: [] },
      { type: 'object', properties: {}, $defs: {}, patternProperties: {} },
    ],
    [
      'lists for schemas',
      object({ a: [], b: { additionalProperties: [] } }),
      object({ a: {}, b: { additionalProperties: {} } }),
    ],
    [
      'null for schemas',
      object({ a: null, b: { anyOf: [null, { type: 'string' }] } }),
      object({ a: {}, b: { anyOf: [{}, { type: 'string' }] } }),
    ],
    [
      'digits for numbers',
      object({
        a: { maximum: '9223372036854775807', minimum: '-9223372036854775808', maxLength: '18446744073709551615' },
      }),
      object({ a: { maximum: 2 ** 63, minimum: -(2 ** 63), maxLength: 2 ** 64 } }),
    ],
    ['bounds beyond all numbers', object({ a: { maximum: '1e400', maxItems: '1e400' } }), object({ a: {} })],
    [
      'flags of draft-04',
      object({ a: { minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false } }),
      object({ a: { exclusiveMinimum: 0, maximum: 9 } }),
    ],
    [
      'a tuple of older drafts',
      object({ a: { items: [{ type: 'string' }], additionalItems: false } }),
      object({ a: { prefixItems: [{ type: 'string' }], items: false } }),
    ],
    ['names twice', object({ a: {} }, { required: ['a', 'a'] }), object({ a: {} }, { required: ['a'] })],
    ['an older dialect', { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' }, { type: 'object' }],
    ['words that are no texts', object({ a: { description: 7, title: {}, readOnly: 'yes' } }), object({ a: {} })],
  ])('%s', (_, sent, schema) => {
    expect(soundSchema(sent)).toEqual({ schema, trusted: [] });
  });

  test('null stays where it is a value', () => {
    const schema = object({ a: { default: null, const: null, enum: [null, 1], examples: [null] } });
    expect(soundSchema(schema)).toEqual({ schema, trusted: [] });
  });

  test('a sound schema is the same object', () => {
    const schema = object({ a: { type: 'array', items: { type: 'string' } } });
    expect(soundSchema(schema).schema).toBe(schema);
    const tuple = { $schema: 'http://json-schema.org/draft-07/schema#', ...object({ a: { items: [{}] } }) };
    expect(soundSchema(tuple).schema).toBe(tuple);
  });
});

describe('a keyword with a value that means nothing is named, and the rest is kept', () => {
  test.each<[JsonObject, string, string]>([
    [object({ a: { type: 'any', maxLength: 3 } }), '/properties/a/type', 'There is no type "any"'],
    [object({ a: { type: [] } }), '/properties/a/type', 'It names no type.'],
    [object({ a: { enum: [] } }), '/properties/a/enum', 'a list of values'],
    [object({ a: {} }, { required: 'a' }), '/required', 'a list of names'],
    [object({ a: { required: true } }), '/properties/a/required', 'a list of names'],
    [object({ a: { minimum: 'low' } }), '/properties/a/minimum', 'a number'],
    [object({ a: { maxLength: -1 } }), '/properties/a/maxLength', 'a whole number'],
    [object({ a: { multipleOf: 0 } }), '/properties/a/multipleOf', 'above 0'],
    [object({ a: { anyOf: {} } }), '/properties/a/anyOf', 'a list of schemas'],
    [object({ a: { oneOf: [] } }), '/properties/a/oneOf', 'a list of schemas'],
    [object({ a: 'string' }), '/properties/a', 'It takes a schema, and not a text.'],
    [{ type: 'object', properties: 'none' }, '/properties', 'a map of schemas'],
    [object({ a: { pattern: 7 } }), '/properties/a/pattern', 'a text'],
    [object({ a: { items: 'string' } }), '/properties/a/items', 'a schema'],
    [object({ 'a/b': { uniqueItems: 'yes' } }), '/properties/a~1b/uniqueItems', 'true or false'],
  ])('%j', (sent, pointer, why) => {
    const { schema, trusted } = soundSchema(sent);
    expect(trusted).toEqual([{ pointer, why: expect.stringContaining(why) as string }]);
    expect(metaErrors(schema)).toEqual([]);
  });

  test.each([7, 'x', [1]])('what is no schema at all takes any object: %j', (sent) => {
    const { schema, trusted } = soundSchema(sent);
    expect(schema).toEqual({ type: 'object' });
    expect(trusted).toMatchObject([{ pointer: '' }]);
  });
});

describe('what Baton cannot use is named, and the rest is checked', () => {
  const errorsOf = (schema: JsonObject, value: Json) =>
    (validator(usableSchema(schema).schema).validate?.(value) ?? []).map(({ pointer }) => pointer);

  test.each<[JsonObject, string, string]>([
    [
      object({ a: { pattern: '^(?!.*--)[a-z-]+$' }, n: { type: 'integer' } }),
      '/properties/a/pattern',
      'not one of RE2',
    ],
    [
      object({ a: { pattern: String.raw`^(a)\1$` }, n: { type: 'integer' } }),
      '/properties/a/pattern',
      'not one of RE2',
    ],
    [
      object({ a: { patternProperties: { '(?<=x)y': {} } }, n: { type: 'integer' } }),
      '/properties/a/patternProperties/(?<=x)y',
      'RE2',
    ],
    [
      object({ a: { $ref: 'https://example.com/a.json' }, n: { type: 'integer' } }),
      '/properties/a/$ref',
      'never fetched',
    ],
    [object({ a: { $ref: '#/$defs/gone' }, n: { type: 'integer' } }), '/properties/a/$ref', 'not in the schema'],
    [object({ a: { $ref: '#gone' }, n: { type: 'integer' } }), '/properties/a/$ref', 'not in the schema'],
    [object({ a: { $dynamicRef: '#a' }, n: { type: 'integer' } }), '/properties/a/$dynamicRef', 'dynamic'],
    [object({ a: { type: 'any' }, n: { type: 'integer' } }), '/properties/a/type', 'no type'],
  ])('%j', (schema, pointer, why) => {
    expect(usableSchema(schema).trusted).toEqual([{ pointer, why: expect.stringContaining(why) as string }]);
    expect(errorsOf(schema, { a: 'a', n: 1 })).toEqual([]);
    expect(errorsOf(schema, { n: 'x' })).toEqual(['/n']);
  });

  test.each<[JsonObject, Json, Json]>([
    [
      object({ n: { type: 'integer', minimum: '-9223372036854775808', maximum: '9223372036854775807' } }),
      { n: 5 },
      { n: 'x' },
    ],
    [object({ s: { type: 'string', maxLength: '18446744073709551615' } }), { s: 'x' }, { s: 1 }],
    [object({ a: { type: 'number', multipleOf: 0.01 } }), { a: 19.99 }, { a: 0.001 }],
    [object({ n: { type: 'number', minimum: 0, exclusiveMinimum: true } }), { n: 1 }, { n: 0 }],
    [object({ t: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }] } }), { t: ['a', 1] }, { t: [1] }],
    [object({ a: { nullable: true, anyOf: [{ type: 'string' }] } }), { a: 'x' }, { a: 1 }],
    [object({ a: { $ref: '#/$defs/A' } }, { $defs: { A: { $anchor: 'x', type: 'string' } } }), { a: 'x' }, { a: 1 }],
    [object({ a: { $ref: '#x' } }, { $defs: { A: { $anchor: 'x', type: 'string' } } }), { a: 'x' }, { a: 1 }],
    [{ $async: true, ...object({ a: { type: 'string' } }) }, { a: 'x' }, { a: 1 }],
  ])('nothing of %j', (schema, good, bad) => {
    expect(usableSchema(schema).trusted).toEqual([]);
    expect(errorsOf(schema, good)).toEqual([]);
    expect(errorsOf(schema, bad)).not.toEqual([]);
  });
});

/**
 * Goal: no schema of a server, however wrong, switches its check off as a whole, and what is offered to clients is valid.
 * Method: keywords of the vocabulary with values of any kind, nested, and with the right values beside the wrong ones.
 */
describe('any schema', () => {
  const { schema: anySchema } = fc.letrec<{ schema: JsonObject; value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<Json>(
        null,
        [],
        {},
        '',
        'a',
        '9223372036854775807',
        -1,
        0,
        1.5,
        1e300,
        true,
        ['a'],
        ['a', 'a'],
        '#',
        '#/a',
        '#a',
        '(?=a)',
        '[',
        { a: ['b'] },
        'string',
        ['string', 'null'],
        'int',
      ),
      tie('schema'),
      fc.array(tie('schema'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'b', '__proto__', '^x', '('), tie('schema'), { maxKeys: 2 }),
    ),
    schema: fc.dictionary(
      fc.constantFrom(
        ...vocabulary.keys(),
        'nullable',
        '$async',
        '$dynamicRef',
        '$recursiveRef',
        '$dynamicAnchor',
        'discriminator',
        'x-y',
      ),
      tie('value'),
      { maxKeys: 4 },
    ),
  }));

  test('Any schema is made valid, and can be compiled', () => {
    fc.assert(
      fc.property(anySchema, (sent) => {
        const { schema } = soundSchema(sent);
        expect(metaErrors(schema)).toEqual([]);
        const { schema: usable, trusted } = usableSchema(sent);
        expect(validator(usable).refusal).toBeUndefined();
        expect(trusted.filter(({ pointer }) => pointer === '')).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
