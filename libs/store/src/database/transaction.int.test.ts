import { UnavailableError, liveness } from '@baton/runner';
import { freshDatabase, testSecretKey } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type Store, openStore } from '../openStore.ts';
import { inTransaction } from './transaction.ts';

let store: Store;
let drop: () => Promise<void>;

beforeAll(async () => {
  const database = await freshDatabase();
  drop = database.drop;
  store = openStore({ url: database.url, secretKey: testSecretKey });
});

afterAll(async () => {
  await store.close();
  await drop();
});

const lock = 'select pg_advisory_xact_lock(1)';

test('Postgres ends a transaction that asks nothing, and another one gets its lock', async () => {
  const [locked, got] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const stopped = inTransaction(
    store.pool,
    async (client) => {
      await client.query(lock);
      locked.resolve();
      // As a process that was stopped: it asks nothing until another one has the lock.
      await got.promise;
    },
    100,
  );
  stopped.catch(() => undefined);
  await locked.promise;
  const other = inTransaction(store.pool, (client) => client.query(lock)).then(() => got.resolve());
  await expect(Promise.all([stopped, other])).rejects.toBeInstanceOf(UnavailableError);
  await other;
});

test('a transaction that is idle is ended before the fence of a process that waits for it can close', async () => {
  const [idleMs] = await inTransaction(store.pool, async (client) => {
    const { rows } = await client.query<{ ms: number }>(
      `select setting::int as ms from pg_settings where name = 'idle_in_transaction_session_timeout'`,
    );
    return rows.map(({ ms }) => ms);
  });
  expect(idleMs).toBeGreaterThan(0);
  expect(idleMs).toBeLessThan(liveness.fenceMs);
});
