import type { Json, JsonObject } from '@baton/primitives';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { offeredInput, offeredOutput } from './offeredSchema.ts';
import { vocabulary } from './vocabulary.ts';

const text = { type: 'string' };

test.each<[string, JsonObject, JsonObject]>([
  ['nothing is an object', {}, { type: 'object' }],
  ['a list for a map is a map', { properties: [] }, { type: 'object', properties: {} }],
  [
    'another type is that of an object',
    { type: ['object', 'null'], properties: { a: text } },
    { type: 'object', properties: { a: text } },
  ],
  [
    'a bound of digits is a number',
    { properties: { a: { maximum: '9223372036854775807' } } },
    { type: 'object', properties: { a: { maximum: 2 ** 63 } } },
  ],
  [
    'a tuple of draft-07 is one of 2020-12, without its dialect',
    { $schema: 'http://json-schema.org/draft-07/schema#', properties: { a: { items: [text] } } },
    { type: 'object', properties: { a: { prefixItems: [text] } } },
  ],
  [
    'alternatives at the root are one object, with what all of them require',
    {
      properties: { a: text },
      required: ['a'],
      oneOf: [
        { properties: { b: text, c: text }, required: ['b', 'c'] },
        { properties: { b: { type: 'integer' } }, required: ['b'] },
      ],
    },
    {
      type: 'object',
      properties: { a: text, b: { anyOf: [text, { type: 'integer' }] }, c: text },
      required: ['a', 'b'],
    },
  ],
  [
    'a reference at the root is followed, also in a circle',
    { $ref: '#/$defs/args', $defs: { args: { properties: { a: text }, required: ['a'], allOf: [{ $ref: '#' }] } } },
    {
      type: 'object',
      $defs: { args: { properties: { a: text }, required: ['a'], allOf: [{ $ref: '#' }] } },
      properties: { a: text },
      required: ['a'],
    },
  ],
  [
    'a reference to another address is left out',
    { properties: { a: { $ref: 'https://example.com/a.json' }, b: text } },
    { type: 'object', properties: { a: {}, b: text } },
  ],
  [
    'a pattern that JavaScript cannot compile is left out',
    { properties: { a: { pattern: '(?i)a' }, b: { pattern: '^b$' } } },
    { type: 'object', properties: { a: {}, b: { pattern: '^b$' } } },
  ],
  [
    'an argument whose name providers refuse is left out',
    { properties: { größe: text, 'a.b-c': text, ['x'.repeat(65)]: text }, required: ['größe', 'a.b-c'] },
    { type: 'object', properties: { 'a.b-c': text }, required: ['a.b-c'] },
  ],
])('of arguments as clients take them, %s', (_, sent, offered) => {
  expect(offeredInput(sent)).toEqual(offered);
});

test('a schema of results is offered where they are objects', () => {
  expect(offeredOutput({ type: 'object', properties: { a: text } })).toEqual({
    type: 'object',
    properties: { a: text },
  });
  expect(offeredOutput({ type: 'array', items: text })).toBeUndefined();
  expect(offeredOutput({ properties: {} })).toBeUndefined();
});

/**
 * Goal: no schema that a server sends makes a client refuse the list.
 * Method: keywords with values of any kind; a validator of the SDK's kind compiles what is offered, and the root has
 * none of the keywords that providers refuse there.
 */
test('a strict client can compile what is offered of any schema', () => {
  const { schema: anySchema } = fc.letrec<{ schema: JsonObject; value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<Json>(null, [], {}, '', '9223372036854775807', -1, 1.5, true, ['a'], '#', '#/a', '(?i)a', '['),
      fc.constantFrom<Json>('string', ['object', 'null'], 'any', 'https://example.com/a.json', '#/$defs/a'),
      tie('schema'),
      fc.array(tie('schema'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'ö', '(?i)a'), tie('schema'), { maxKeys: 2 }),
    ),
    schema: fc.dictionary(fc.constantFrom(...vocabulary.keys(), 'nullable', '$async', '$dynamicRef'), tie('value'), {
      maxKeys: 4,
    }),
  }));
  fc.assert(
    fc.property(anySchema, (sent) => {
      const input = offeredInput(sent);
      for (const schema of [input, offeredOutput(sent)]) {
        if (schema === undefined) continue;
        const strict = new Ajv2020({ strict: false, validateFormats: false, logger: false });
        expect(strict.compile(structuredClone(schema))).toBeTypeOf('function');
      }
      expect(Object.keys(input)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(?:anyOf|oneOf|allOf|not|enum)$/)]),
      );
      expect(input.type).toBe('object');
    }),
    { numRuns: 200 },
  );
});
