import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { listEntries } from '../audit/entries.ts';
import { getApiKey, listApiKeys, noteApiKeyUse, putApiKey, revokeApiKey } from './apiKeys.ts';

let store: FreshStore;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

const key = (id: string) => ({
  id,
  name: `The ${id}`,
  secretHash: new Uint8Array(32).fill(7),
  scopes: ['runs:read', 'runs:write'],
  createdBy: 'setup',
});

test('a key is stored as it was made, except for its time', async () => {
  const expiresAt = 1_900_000_000_000;
  await expect(putApiKey(store, { ...key('k1'), expiresAt })).resolves.toBe(true);
  const found = await getApiKey(store, 'k1');
  expect(found).toMatchObject({ ...key('k1'), expiresAt, revokedAt: undefined, lastUsedAt: undefined });
  await expect(listApiKeys(store)).resolves.toContainEqual(found);
});

test('processes that start at once make one first key', async () => {
  const made = await Promise.all(Array.from({ length: 5 }, () => putApiKey(store, key('first'))));
  expect(made.filter(Boolean)).toHaveLength(1);
});

test('the time of day is that of the store, in rows and in the audit', async () => {
  const atMs = 1_700_000_000_000;
  const early = { ...store, now: () => atMs };
  await putApiKey(early, key('k5'));
  await revokeApiKey(early, 'k5', 'ada');
  expect((await getApiKey(store, 'k5'))?.revokedAt).toBe(atMs);
  const { entries } = await listEntries(store, { target: 'k5' }, { limit: 2 });
  expect(entries.map(({ at }) => at)).toEqual([atMs, atMs]);
});

test('a key is revoked once, and stays to be seen', async () => {
  await putApiKey(store, key('k2'));
  await expect(revokeApiKey(store, 'k2', 'ada')).resolves.toBe(true);
  await expect(revokeApiKey(store, 'k2', 'ada')).resolves.toBe(false);
  expect((await getApiKey(store, 'k2'))?.revokedAt).toEqual(expect.any(Number));
});

test('when a key was last used is noted for several at once', async () => {
  await putApiKey(store, key('k3'));
  await putApiKey(store, key('k4'));
  await noteApiKeyUse(store, ['k3', 'k4', 'unknown'], 1_800_000_000_000);
  expect((await getApiKey(store, 'k3'))?.lastUsedAt).toBe(1_800_000_000_000);
  expect((await getApiKey(store, 'k4'))?.lastUsedAt).toBe(1_800_000_000_000);
});

test('hostile ids name no key, and hostile names make none', async () => {
  await expect(getApiKey(store, '\0')).resolves.toBeUndefined();
  await expect(revokeApiKey(store, '\ud800', 'ada')).resolves.toBe(false);
  await expect(putApiKey(store, { ...key('k5'), name: '\0' })).rejects.toMatchObject({
    failure: { code: 'invalid-inputs' },
  });
});
