import { expect, test } from 'vitest';

import { wordsIn, wordsOfBody } from './serverWords.ts';

test.each<[unknown, string]>([
  ['database is locked', 'database is locked'],
  [{ code: -32_000, message: 'no disk' }, 'no disk'],
  [{ error: 'not allowed' }, 'not allowed'],
  [{ error: { message: 'not allowed' } }, 'not allowed'],
  [{ error: 'invalid_token', error_description: 'it has expired' }, 'it has expired'],
  [{ type: 'about:blank', title: 'Bad request', detail: 'no such city' }, 'no such city'],
  [{ errors: [{ msg: 'field required' }] }, 'field required'],
  [{ detail: [{ loc: ['body'], msg: 'field required' }] }, 'field required'],
  [{ code: 7 }, ''],
  [null, ''],
])('the words in %j are %j', (value, words) => {
  expect(wordsIn(value)).toBe(words);
});

test.each([
  ['Unexpected message', 'Unexpected message'],
  ['{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"not initialized"}}', 'not initialized'],
  ['<!doctype html><title>502</title><style>p{}</style><h1>Bad  gateway</h1>', '502 Bad gateway'],
  ['<html><head><title>Wiki</title></head><body>Welcome</body></html>', 'Wiki: Welcome'],
  ['{"half": ', '{"half":'],
  ['', ''],
])('the words of a body %s are %j', (body, words) => {
  expect(wordsOfBody(body)).toBe(words);
});
