import { freshStore, neverEnded, requestedEvent, testSecretKey } from '@baton/testing';
import { expect, onTestFinished, test } from 'vitest';

import { advisoryLocks } from '../database/advisoryLocks.ts';
import { openStore } from '../openStore.ts';
import type { Store } from '../openStore.ts';
import { claimMarks } from './claimMarks.ts';
import { listEntries, noteAction } from './entries.ts';

const otherKey = Buffer.alloc(32, 9);

/** One database, as processes with different keys open it. */
async function openByKeys(): Promise<{ store: Store; other: Store; third: Store }> {
  const store = await freshStore();
  const [other, third] = [otherKey, Buffer.alloc(32, 11)].map((secretKey) =>
    openStore({ url: store.url, secretKey }),
  ) as [Store, Store];
  onTestFinished(async () => {
    await Promise.all([other.close(), third.close()]);
    await store.close();
  });
  return { store, other, third };
}

interface ClaimOptions {
  readonly inMs?: number;
  readonly before?: Buffer;
}

const claim = (database: Store, { inMs = 0, before }: ClaimOptions = {}): Promise<string | undefined> =>
  claimMarks(database, { nowMs: Date.now() + inMs, before });

test('the first process of an installation begins its marks, and one with another key is told whose they are', async () => {
  const { store, other } = await openByKeys();
  expect(await claim(store)).toBeUndefined();
  expect(await claim(store)).toBeUndefined();
  await store.request({ event: requestedEvent() });
  expect(await claim(other)).toBe(store.auditKeys.id);
  expect(await claim(other, { before: testSecretKey })).toBeUndefined();
});

test('also where nothing was written for long; then a key that replaces the one before begins its marks', async () => {
  const { store, other } = await openByKeys();
  const inMs = 600_000;
  expect(await claim(store)).toBeUndefined();
  expect(await claim(other, { inMs })).toBe(store.auditKeys.id);
  expect(await claim(other, { inMs, before: testSecretKey })).toBeUndefined();
  expect(await claim(other)).toBeUndefined();
  expect(await claim(store, { inMs })).toBe(other.auditKeys.id);
});

test('a key that has replaced the one before is enough from then on, also before its marks begin', async () => {
  const { store, other, third } = await openByKeys();
  expect(await claim(store)).toBeUndefined();
  await store.request({ event: requestedEvent() });
  expect(await claim(other, { before: testSecretKey })).toBeUndefined();
  expect(await claim(other)).toBeUndefined();
  expect(await claim(store)).toBeUndefined();
  expect(await claim(third)).toBe(store.auditKeys.id);
  expect(await claim(third, { before: otherKey })).toBeUndefined();
  expect(await claim(third)).toBeUndefined();
  const replaced = await listEntries(store, { action: 'audit.key-replaced' }, { limit: 10 });
  expect(replaced.entries.map(({ target }) => target)).toEqual([third.auditKeys.id, other.auditKeys.id]);
});

test('a key that another one has replaced is not enough any more, though it had replaced one itself', async () => {
  const { store, other, third } = await openByKeys();
  const inMs = 600_000;
  expect(await claim(store)).toBeUndefined();
  expect(await claim(other, { inMs, before: testSecretKey })).toBeUndefined();
  expect(await claim(third, { inMs, before: otherKey })).toBeUndefined();
  expect(await claim(other, { inMs })).toBe(third.auditKeys.id);
});

test('an entry that was not written with the key proves nothing', async () => {
  const { store, other } = await openByKeys();
  expect(await claim(store)).toBeUndefined();
  await store.request({ event: requestedEvent() });
  const entry = { by: 'baton', action: 'audit.key-replaced', target: other.auditKeys.id } as const;
  await store.prisma.$transaction((transaction) => noteAction(transaction, store, entry));
  expect(await claim(other)).toBe(store.auditKeys.id);
});

test('of two processes with different keys that start at once on an empty database, one is told whose it is', async () => {
  const { store, other } = await openByKeys();
  const [first, second] = await Promise.all([claim(store), claim(other)]);
  const told = first === undefined ? [undefined, store.auditKeys.id] : [other.auditKeys.id, undefined];
  expect([first, second]).toEqual(told);
});

test.each([
  [
    'is beginning marks, the next one waits for whose they are',
    `select pg_advisory_xact_lock(${advisoryLocks.beginningMarks})`,
  ],
  ['has begun marks since the next one looked, that one begins no others', 'lock table run_event'],
])('while one process %s', async (_what, hold) => {
  const { store, other } = await openByKeys();
  const beginning = await store.pool.connect();
  await beginning.query(`${neverEnded}; begin`);
  await beginning.query(hold);
  const claimed = claim(other);
  const held = `select count(*)::int as count from pg_locks
    where not granted and database = (select oid from pg_database where datname = current_database())`;
  await expect.poll(async () => (await store.pool.query<{ count: number }>(held)).rows).toEqual([{ count: 1 }]);
  const entry = { by: 'baton', action: 'audit.begun', target: store.auditKeys.id } as const;
  await store.prisma.$transaction((transaction) => noteAction(transaction, store, entry));
  await beginning.query('commit');
  beginning.release();
  expect(await claimed).toBe(store.auditKeys.id);
});
