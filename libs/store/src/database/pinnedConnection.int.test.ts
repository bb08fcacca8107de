import { Pool } from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

import { PinnedConnection } from './pinnedConnection.ts';

let pool: Pool;

beforeAll(() => {
  pool = new Pool({ connectionString: inject('services').postgresUrl, max: 1, connectionTimeoutMillis: 1_000 });
});

afterAll(() => pool.end());

const process = { text: 'select pg_backend_pid()' };

test('questions that come at the same time share one connection, also after it broke', async () => {
  const connection = new PinnedConnection(pool);
  const askTwice = async (): Promise<(string | null | undefined)[]> =>
    (await Promise.all([connection.query(process), connection.query(process)])).map(({ rows }) => rows[0]?.[0]);
  const [first, second] = await askTwice();
  expect(second).toBe(first);
  const end = { text: `select pg_terminate_backend(${first})` };
  const broken = await Promise.allSettled([connection.query(end), connection.query(process)]);
  expect(broken.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const [third, fourth] = await askTwice();
  expect(third).not.toBe(first);
  expect(fourth).toBe(third);
  connection.close();
});

test('a connection that is closed while it is made does not keep its pool from ending', async () => {
  const own = new Pool({ connectionString: inject('services').postgresUrl, max: 1 });
  const connection = new PinnedConnection(own);
  const asked = connection.query(process);
  connection.close();
  await expect(asked).rejects.toThrow('the connection was closed');
  await expect(connection.query(process)).rejects.toThrow('the connection was closed');
  await own.end();
});
