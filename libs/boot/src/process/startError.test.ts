import { expect, test } from 'vitest';

import { cannotUse, StartError, toldAs } from './startError.ts';

const fail = cannotUse('Postgres', 'DATABASE_URL');
const coded = (message: string, code: string): Error => Object.assign(new Error(message), { code });

test.each([
  [coded('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED'), 'connect ECONNREFUSED 127.0.0.1:1.'],
  [coded('', 'ECONNREFUSED'), 'used: ECONNREFUSED.'],
  [coded('password authentication failed for user "x"', '28P01'), 'password authentication failed'],
  [coded('database "x" does not exist', '3D000'), 'database "x" does not exist'],
  [coded('permission denied for table run', '42501'), 'permission denied for table run.'],
  [coded('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'), 'self-signed certificate.'],
  [new Error('The server does not support SSL connections'), 'does not support SSL connections.'],
  [new Error('SASL: SCRAM: client password must be a string'), 'it asks for a password, and the address has none.'],
  [new Error('timeout expired'), 'nothing there answered as Postgres does'],
])('what an operator can mend is told as such, with the setting: %s', (error, told) => {
  expect(() => fail(error)).toThrow(StartError);
  expect(() => fail(error)).toThrow(told);
  expect(() => fail(error)).toThrow('DATABASE_URL');
});

test.each([new TypeError('x is not a function'), coded('syntax error', '42601')])('a bug stays one: %s', (error) => {
  expect(() => fail(error)).toThrow(error);
});

test('an error that is written for operators is told in its words, and any other stays', () => {
  class PolicyError extends Error {}
  expect(() => toldAs(PolicyError)(new PolicyError('set it to noeviction'))).toThrow(
    new StartError('set it to noeviction'),
  );
  const bug = new TypeError('x is not a function');
  expect(() => toldAs(PolicyError)(bug)).toThrow(bug);
});
