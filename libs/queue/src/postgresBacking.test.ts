import { expect, test } from 'vitest';

import { asHints } from './postgresBacking.ts';

const own = '-c synchronous_commit=off';

test('a URL without options is left as it is', () => {
  const url = 'postgres://me:p%40ss@localhost/db?sslmode=require';
  expect(asHints(url)).toEqual({ connectionString: url, options: own });
});

test('options are moved out of the URL, so that BullMQ can add its own', () => {
  expect(asHints('postgres://localhost/db?sslmode=require&options=-c%20statement_timeout%3D7s')).toEqual({
    connectionString: 'postgres://localhost/db?sslmode=require',
    options: `-c statement_timeout=7s ${own}`,
  });
});
