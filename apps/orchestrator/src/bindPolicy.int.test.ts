import { StartError } from '@baton/boot';
import { makeKey } from '@baton/control';
import { putApiKey, revokeApiKey } from '@baton/store';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { checkExposure } from './bindPolicy.ts';

let store: FreshStore;
const adminKey = 'a key that an operator chose, long';

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

const check = (host: string, more: { adminKey?: string; publicUrl?: string } = {}) =>
  checkExposure(store, { host, adminKey: undefined, publicUrl: undefined, ...more });

test.each(['127.0.0.1', 'localhost', '::1', '127.1.2.3'])(
  '%s needs nothing: no other machine reaches it',
  async (host) => {
    expect(await check(host)).toEqual([]);
  },
);

test.each(['0.0.0.0', '::', '192.0.2.1', 'baton.example'])('%s is refused without a key', async (host) => {
  await expect(check(host)).rejects.toThrow(StartError);
  await expect(check(host)).rejects.toThrow('BATON_ADMIN_KEY');
});

test('with a key Baton warns about TLS, unless a proxy provides it', async () => {
  expect(await check('0.0.0.0', { adminKey })).toEqual([expect.stringContaining('TLS')]);
  expect(await check('0.0.0.0', { adminKey, publicUrl: 'http://baton.example' })).toHaveLength(1);
  expect(await check('0.0.0.0', { adminKey, publicUrl: 'https://baton.example' })).toEqual([]);
});

test('a key that exists already counts, too, until it is revoked', async () => {
  const { id, secretHash } = makeKey();
  await putApiKey(store, { id, name: 'before', secretHash, scopes: ['admin'], createdBy: 'test' });
  expect(await check('0.0.0.0')).toHaveLength(1);
  await revokeApiKey(store, id, 'test');
  await expect(check('0.0.0.0')).rejects.toThrow(StartError);
});
