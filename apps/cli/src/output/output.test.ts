import { PassThrough } from 'node:stream';

import { expect, test } from 'vitest';

import { createOutput } from './output.ts';

test('A line that is printed gives nothing back: a command that ends with it has no exit code of its own.', () => {
  const stream = new PassThrough();
  expect(createOutput(stream, {}).line('a value') as unknown).toBeUndefined();
  expect(String(stream.read())).toBe('a value\n');
});
