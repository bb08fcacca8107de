import { UnavailableError } from '@baton/runner';
import { expect, test } from 'vitest';

import { cannotUse, StartError, toldAs } from './startError.ts';

const fail = cannotUse('Postgres', 'DATABASE_URL');
const coded = (message: string, code: string): Error => Object.assign(new Error(message), { code });

test.each([
  [coded('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED'), 69, 'connect ECONNREFUSED 127.0.0.1:1. Is it there'],
  [coded('', 'ECONNREFUSED'), 69, 'used: ECONNREFUSED.'],
  [new AggregateError([coded('connect ECONNREFUSED ::1:1', 'ECONNREFUSED')]), 69, 'connect ECONNREFUSED ::1:1.'],
  [coded('password authentication failed for user "x"', '28P01'), 2, 'the user and the password in DATABASE_URL'],
  [coded('database "x" does not exist', '3D000'), 2, 'database "x" does not exist. Is DATABASE_URL right?'],
  [coded('permission denied for table run', '42501'), 2, 'Let the role own the database'],
  [coded('cannot execute INSERT in a read-only transaction', '25006'), 69, 'a standby that was not promoted'],
  [coded('sorry, too many clients already', '53300'), 69, 'has no connection left'],
  [coded('the database system is starting up', '57P03'), 69, 'is starting up.'],
  [
    coded('self-signed certificate; if the root CA is …, try --use-system-ca', 'DEPTH_ZERO_SELF_SIGNED_CERT'),
    2,
    'sslrootcert=FILE',
  ],
  [coded('unsupported startup parameter: options', '08P01'), 2, 'ignore_startup_parameters'],
  [coded('transaction blocks not allowed in statement pooling mode', '08P01'), 2, 'pool_mode = session'],
  [coded('query_wait_timeout', '08P01'), 69, 'query_wait_timeout.'],
  [coded('prepared statement "time" already exists', '42P05'), 2, 'pool_mode = session'],
  [new Error('The server does not support SSL connections'), 2, 'Remove sslmode from DATABASE_URL'],
  [new Error('SASL: SCRAM: client password must be a string'), 2, 'it asks for a password, and the address has none.'],
  [new UnavailableError('the database cannot be asked now: it ended'), 69, 'it ended. Is it there'],
  [new Error('Connection terminated unexpectedly'), 69, 'terminated unexpectedly. Is it there'],
  [new Error('timeout expired'), 69, 'nothing there answered as Postgres does'],
])(
  'what an operator can mend is one sentence, with an exit code that says whether a restart helps: %s',
  (error, exitCode, told) => {
    for (const thrown of [error, new Error('it failed', { cause: new Error('it failed', { cause: error }) })]) {
      expect(() => fail(thrown)).toThrow(expect.objectContaining({ name: 'StartError', exitCode }) as Error);
      expect(() => fail(thrown)).toThrow(told);
    }
  },
);

test('Prisma’s error is told in the words of Postgres', () => {
  const driverAdapterError = { cause: { originalCode: '42501', originalMessage: 'permission denied for table run' } };
  expect(() => fail(Object.assign(new Error('Invalid invocation'), { meta: { driverAdapterError } }))).toThrow(
    'Postgres cannot be used: permission denied for table run.',
  );
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
