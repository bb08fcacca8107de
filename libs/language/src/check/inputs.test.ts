import { validateInputs, isShorthand, schemaOf } from '@baton/expressions';
import type { Json } from '@baton/primitives';
import { describe, expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';

describe('[L-020] the shorthand', () => {
  test('[L-041] requires what has no default and is not optional, and allows nothing else', () => {
    const written = {
      org: { type: 'string' },
      limit: { type: 'integer', default: 10 },
      note: { type: 'string', optional: true },
    };
    expect(schemaOf(written)).toEqual({
      type: 'object',
      properties: { org: { type: 'string' }, limit: { type: 'integer', default: 10 }, note: { type: 'string' } },
      required: ['org'],
      additionalProperties: false,
    });
  });

  test.each([
    [{ type: 'object', properties: {} }, false],
    [{ type: 'string' }, false],
    [{ anyOf: [] }, false],
    [{ $ref: '#/$defs/a' }, false],
    [{ properties: { a: { type: 'string' } } }, false],
    [{ type: { type: 'string' } }, true],
    [{ properties: { type: 'object' } }, true],
    [{ required: { type: 'boolean' }, enum: { type: 'string' } }, true],
    [{}, true],
  ])('is told from JSON Schema: %j', (written, expected) => {
    expect(isShorthand(written)).toBe(expected);
  });
});

test('a schema that names another dialect is read as 2020-12', () => {
  for (const dialect of ['http://json-schema.org/draft-07/schema#', 'nowhere']) {
    const inputs = `{ $schema: '${dialect}', type: object, properties: { a: { type: string } } }`;
    expect(checkWorkflow(`workflow: a\ninputs: ${inputs}\nsteps: [{ set: { b: 1 } }]\n`).findings).toEqual([]);
  }
});

describe('inputs', () => {
  const plan = {
    inputs: schemaOf({
      org: { type: 'string', minLength: 1 },
      limit: { type: 'integer', default: 40, maximum: 200 },
      filter: { type: 'object', optional: true, properties: { deep: { type: 'boolean', default: true } } },
    }),
  };

  test('get their defaults, also inside maps that are given', () => {
    expect(validateInputs(plan, { org: 'acme', filter: {} })).toEqual({
      inputs: { org: 'acme', limit: 40, filter: { deep: true } },
    });
  });

  test('are none where none are given', () => {
    expect(validateInputs({ inputs: schemaOf({}) }, undefined)).toEqual({ inputs: {} });
  });

  test('are not coerced, and not silently dropped', () => {
    expect(validateInputs(plan, { org: 'acme', limit: '5', more: 1 }).errors?.map(({ pointer }) => pointer)).toEqual([
      '/more',
      '/limit',
    ]);
  });

  test('a default is a copy: no run changes another’s', () => {
    const schema = { inputs: schemaOf({ list: { type: 'array', default: [1] } }) };
    const [one, other] = [validateInputs(schema, {}).inputs, validateInputs(schema, {}).inputs];
    expect(one?.['list']).toEqual([1]);
    expect(one?.['list']).not.toBe(other?.['list']);
  });

  test.each<[string, Json]>([
    ['a list', []],
    ['a NUL', { org: 'a\0b' }],
    ['half a surrogate pair', { org: '\ud800' }],
    ['a key with a NUL', { org: 'a', filter: { 'a\0': 1 } }],
    ['too much', { org: 'x'.repeat(2_000_000) }],
  ])('%s is refused', (_, value) => {
    expect(validateInputs(plan, value).errors).not.toHaveLength(0);
  });

  test('keep keys that are called as built-ins are, as keys of their own', () => {
    const given = JSON.parse('{"org": "a", "filter": {"constructor": {}, "__proto__": {"admin": true}}}') as Json;
    const { inputs } = validateInputs(plan, given);
    expect(JSON.stringify(inputs?.['filter'])).toBe('{"constructor":{},"__proto__":{"admin":true},"deep":true}');
    expect(Object.getPrototypeOf(inputs?.['filter'])).toBe(Object.prototype);
  });

  test('that nest without end are refused', () => {
    let value: Json = {};
    for (let i = 0; i < 50_000; i++) value = { filter: value };
    expect(validateInputs(plan, value).errors?.[0]?.message).toContain('nested');
  });
});
