import { expect, test } from 'vitest';

import { valueView } from './view.ts';

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const answer = (text: string) => ({ content: [{ type: 'text', text }] });

test.each([
  ['tool', answer],
  ['resource', (text: string) => ({ contents: [{ uri: 'a:b', mimeType: 'application/json', text }] })],
] as const)('a JSON text of a %s that nests too deep stays a text', (verb, result) => {
  expect(valueView(verb, result(nested(100)))['output']).toEqual(JSON.parse(nested(100)));
  expect(valueView(verb, result(nested(20_000)))['output']).toBe(nested(20_000));
});

test('the output of a tool is its structured content, also an empty one beside a text', () => {
  expect(valueView('tool', { ...answer('x'), structuredContent: {} })['output']).toEqual({});
  expect(valueView('tool', answer('x'))['output']).toBe('x');
});
