import { expect, test } from 'vitest';

import { typescriptOf } from './typescript.ts';

test.each([
  [{ type: 'string' }, 'string'],
  [{ type: 'integer' }, 'number'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ enum: ['low', 'high'] }, '"low" | "high"'],
  [{ type: 'array', items: { type: 'string' } }, 'readonly string[]'],
  [{ type: 'array', items: { enum: [1, 2] } }, 'readonly (1 | 2)[]'],
  [{ type: 'array' }, 'readonly unknown[]'],
  [{ anyOf: [{ type: 'number' }, { $ref: '#/components/schemas/Run' }] }, 'number | Run'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, '{\n  readonly [name: string]: number;\n}'],
  [{ type: 'object' }, 'Readonly<Record<string, unknown>>'],
  [{ description: 'Any JSON.' }, 'unknown'],
  [true, 'unknown'],
  [false, 'never'],
])('%j is %s', (schema, type) => {
  expect(typescriptOf(schema)).toBe(type);
});

test('fields that are not required are optional, and described', () => {
  const schema = {
    type: 'object',
    properties: { 'a-b': { type: 'string', description: 'One */ two.' }, c: { type: 'boolean' } },
    required: ['c'],
  };
  expect(typescriptOf(schema)).toBe('{\n  /** One * / two. */\n  readonly "a-b"?: string;\n  readonly c: boolean;\n}');
});
