import { type FreshStore, freshStore, testSecretKey } from '@baton/testing';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';

import { openStore } from '../openStore.ts';
import { Ownership } from './ownership.ts';

let store: FreshStore;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

/** What another process would have. */
function another(onLost = (): void => {}): Ownership {
  const own = openStore({ url: store.url, secretKey: testSecretKey });
  const ownership = new Ownership(own, onLost);
  onTestFinished(async () => {
    ownership.close();
    await own.close();
  });
  return ownership;
}

test('one process owns a task, however often it calls own, until it disowns it', async () => {
  const [one, other] = [another(), another()];
  expect([await one.own('a'), await one.own('a'), await other.own('a'), await other.own('b')]).toEqual([
    true,
    true,
    false,
    true,
  ]);
  await one.disown('a');
  expect([await other.own('a'), await one.own('a')]).toEqual([true, false]);
});

test('a process that has ended owns nothing', async () => {
  const [one, other] = [another(), another()];
  expect(await one.own('c')).toBe(true);
  one.close();
  await expect.poll(() => other.own('c')).toBe(true);
});

test('a process whose connection broke is notified, and may own the task again', async () => {
  const onLost = vi.fn<() => void>();
  const one = another(onLost);
  expect(await one.own('d')).toBe(true);
  await store.pool.query(
    "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
  );
  await expect.poll(() => onLost.mock.calls.length).toBeGreaterThan(0);
  await expect.poll(() => one.own('d').catch(() => false)).toBe(true);
});
