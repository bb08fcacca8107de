import { expect, test } from 'vitest';

import { cannotUse, StartError } from './startError.ts';

const fail = cannotUse('Postgres', 'DATABASE_URL');
const coded = (message: string, code: string): Error => Object.assign(new Error(message), { code });

test.each([
  [coded('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED'), 'connect ECONNREFUSED 127.0.0.1:1.'],
  [coded('', 'ECONNREFUSED'), 'used: ECONNREFUSED.'],
  [coded('password authentication failed for user "x"', '28P01'), 'password authentication failed'],
  [coded('database "x" does not exist', '3D000'), 'database "x" does not exist'],
])('what an operator can mend is told as such, with the setting: %s', (error, told) => {
  expect(() => fail(error)).toThrow(StartError);
  expect(() => fail(error)).toThrow(told);
  expect(() => fail(error)).toThrow('DATABASE_URL');
});

test.each([new TypeError('x is not a function'), coded('syntax error', '42601')])('a bug stays one: %s', (error) => {
  expect(() => fail(error)).toThrow(error);
});
