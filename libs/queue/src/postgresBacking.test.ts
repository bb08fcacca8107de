import { expect, test } from 'vitest';

import { splitOptions } from './postgresBacking.ts';

test('a URL without options is left as it is', () => {
  const url = 'postgres://me:p%40ss@localhost/db?sslmode=require';
  expect(splitOptions(url)).toEqual({ connectionString: url });
});

test('options are moved out of the URL, so that BullMQ can add its own', () => {
  expect(splitOptions('postgres://localhost/db?sslmode=require&options=-c%20statement_timeout%3D7s')).toEqual({
    connectionString: 'postgres://localhost/db?sslmode=require',
    options: '-c statement_timeout=7s',
  });
});
