import { expect, test } from 'vitest';

import { cannotWrite } from './cannotWrite.ts';
import { StartError } from './startError.ts';

const fail = cannotWrite('/var/lib/baton');

test.each([
  ['ENOSPC', '/var/lib/baton cannot be written to (ENOSPC). Its disk is full: make room there'],
  ['EROFS', '/var/lib/baton cannot be written to (EROFS). Set BATON_DATA to a folder in which this account may write.'],
  ['ENOTDIR', 'Set BATON_DATA'],
])('a refusal of the file system is told with the folder and what to do: %s', (code, told) => {
  const error = Object.assign(new Error(`${code}: write`), { code });
  expect(() => fail(error)).toThrow(StartError);
  expect(() => fail(error)).toThrow(told);
});

test.each([new TypeError('x is not a function'), Object.assign(new Error('bug'), { code: 'ERR_INVALID_ARG_TYPE' })])(
  'a bug stays one: %s',
  (error) => {
    expect(() => fail(error)).toThrow(error);
  },
);
