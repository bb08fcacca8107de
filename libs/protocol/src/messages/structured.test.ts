import { expect, test } from 'vitest';

import { checkStructured } from './structured.ts';

const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

test('content that fits the schema is passed on unchanged', () => {
  const result = { content: [], structuredContent: { n: 1, more: true } };
  expect(checkStructured(result, schema)).toEqual({ result });
});

test.each([
  ['is missing', { content: [] }, /is missing/],
  ['has a wrong member', { content: [], structuredContent: { n: 'x' } }, /at \/n: .*number/i],
  ['is empty where something is declared', { content: [], structuredContent: {} }, /output schema: .*n/],
])('what %s is refused', (_, result, why) => {
  expect(checkStructured(result, schema)).toMatchObject({ problem: expect.stringMatching(why) as string });
});

test('an empty list where an object is declared is an empty object', () => {
  const result = { content: [], structuredContent: [] };
  expect(checkStructured(result, { type: 'object' })).toEqual({ result: { content: [], structuredContent: {} } });
  expect(checkStructured(result, { type: 'array' })).toEqual({ result });
});

test('an error is not checked against the schema', () => {
  const result = { content: [], isError: true };
  expect(checkStructured(result, schema)).toEqual({ result });
});

test('an empty object, or list, of a tool without an output schema counts as no content', () => {
  expect(checkStructured({ content: [], structuredContent: [] }, undefined)).toEqual({ result: { content: [] } });
  expect(checkStructured({ content: [], structuredContent: {} }, undefined)).toEqual({ result: { content: [] } });
  const result = { content: [], structuredContent: { n: 1 } };
  expect(checkStructured(result, undefined)).toEqual({ result });
});

test('a schema that cannot be compiled is ignored', () => {
  const result = { content: [], structuredContent: 'x' };
  expect(checkStructured(result, { $ref: 'https://example.com/schema' })).toEqual({ result });
});
