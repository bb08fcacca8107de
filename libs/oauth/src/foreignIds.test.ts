import { expect, test } from 'vitest';

import { isClientId, subjectFault } from './foreignIds.ts';

test.each(['ana', 'auth0|5f7c8ec7c33c6c004bbafe82', 'Ana Lopez', 'x'.repeat(255)])('%j names a person', (sub) => {
  expect(subjectFault(sub)).toBeUndefined();
});

test.each([
  [undefined, 'does not say who'],
  [7, 'does not say who'],
  ['', 'does not say who'],
  ['x'.repeat(256), 'with 256 characters; expected at most 255'],
  ['ana\u001B[2J', 'other characters than visible ASCII'],
  ['ana\n', 'other characters than visible ASCII'],
  ['an\u0430', 'other characters than visible ASCII'],
])('%j names no person', (sub, why) => {
  expect(subjectFault(sub)).toContain(why);
});

test('a client is named by an address or a word of at most 500 characters', () => {
  expect(['x'.repeat(500), 'https://a.example/client', 'x'.repeat(501), '', undefined].map(isClientId)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
