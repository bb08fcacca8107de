import type { Json, JsonSchema } from '@baton/primitives';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { checkerOf } from '../typed.ts';
import { instanceOf } from './instance.ts';

test.each<[JsonSchema, Json]>([
  [true, null],
  [{ const: 7 }, 7],
  [{ enum: ['a', 'b'] }, 'a'],
  [{ type: 'string', default: 'as usual' }, 'as usual'],
  [{ type: ['null', 'integer'], exclusiveMinimum: 2 }, 3],
  [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.5 }, 0.25],
  [{ type: 'integer', multipleOf: 4, minimum: 5 }, 8],
  [{ type: 'number', maximum: -3 }, -3],
  [{ type: 'string', format: 'date' }, '2000-01-01'],
  [{ type: 'string', minLength: 6, maxLength: 6 }, 'text..'],
  [{ type: 'array', items: { type: 'string' }, minItems: 2, uniqueItems: true }, ['text', 'text 2']],
  [{ type: 'array', prefixItems: [{ const: 1 }, { const: 2 }], items: false }, [1, 2]],
  [
    { properties: { a: { type: 'boolean' } }, required: ['b'], additionalProperties: { const: 1 } },
    { a: true, b: 1 },
  ],
  [{ $ref: '#/$defs/a~1b', $defs: { 'a/b': { const: 'found' } } }, 'found'],
  [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, 0],
  [
    { allOf: [{ properties: { a: { const: 1 } } }, { properties: { b: { const: 2 } }, required: ['b'] }] },
    { b: 2, a: 1 },
  ],
])('a value for %j', (schema, value) => {
  expect(instanceOf(schema)).toEqual(value);
});

test('a schema that refers to itself comes to an end', () => {
  const tree = {
    type: 'object',
    properties: { left: { $ref: '#' }, right: { $ref: '#' } },
  };
  expect(checkerOf(tree)(instanceOf(tree))).toEqual([]);
  expect(instanceOf({ $ref: '#' })).toBeNull();
  expect(instanceOf({ allOf: [{ $ref: '#' }, { $ref: '#' }] })).toBeNull();
});

/**
 * Goal: the scripted model gives a typed answer for every plain schema.
 * Method: random schemas of objects, lists, texts and numbers with bounds that can be met; the checker of real answers.
 */
test('a plain schema gets a value that fits', () => {
  const bounds = fc.tuple(fc.integer({ min: -50, max: 50 }), fc.nat(50));
  const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constant({ type: 'boolean' }),
      bounds.map(([minimum, span]) => ({ type: 'integer', minimum, maximum: minimum + span })),
      bounds.map(([least, span]) => ({ type: 'number', exclusiveMinimum: least, exclusiveMaximum: least + span + 1 })),
      fc
        .tuple(fc.nat(9), fc.nat(9))
        .map(([least, span]) => ({ type: 'string', minLength: least, maxLength: least + span })),
      fc
        .constantFrom('date', 'date-time', 'email', 'uri', 'uuid', 'ipv4')
        .map((format) => ({ type: 'string', format })),
      fc.tuple(tie('schema'), fc.nat(3)).map(([items, minItems]) => ({ type: 'array', items, minItems })),
      fc
        .dictionary(fc.stringMatching(/^[a-z]{1,5}$/), tie('schema'), { maxKeys: 4 })
        .map((properties) => ({ type: 'object', properties, required: Object.keys(properties).slice(0, 2) })),
    ),
  }));
  fc.assert(
    fc.property(schema, (one) => {
      expect(checkerOf(one)(instanceOf(one))).toEqual([]);
    }),
  );
});
