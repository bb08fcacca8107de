import type { FreshStore } from '@baton/testing';
import { freshStore, requestedEvent, testSecretKey } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { openStore } from '../openStore.ts';
import type { Store } from '../openStore.ts';
import { claimMarks } from './claimMarks.ts';

const otherKey = Buffer.alloc(32, 9);

let store: FreshStore;
let other: Store;

beforeAll(async () => {
  store = await freshStore();
  other = openStore({ url: store.url, secretKey: otherKey });
});

afterAll(async () => {
  await other.close();
  await store.close();
});

test('the first process of an installation begins its marks, and one with another key is told whose they are', async () => {
  const nowMs = Date.now();
  expect(await claimMarks(store, { nowMs, before: undefined })).toBeUndefined();
  expect(await claimMarks(store, { nowMs, before: undefined })).toBeUndefined();
  await store.request({ event: requestedEvent() });
  expect(await claimMarks(other, { nowMs, before: undefined })).toBe(store.auditKeys.id);
  expect(await claimMarks(other, { nowMs, before: testSecretKey })).toBeUndefined();
});
