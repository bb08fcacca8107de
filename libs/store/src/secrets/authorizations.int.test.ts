import { randomBytes } from 'node:crypto';

import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { storedAuthorizations } from './authorizations.ts';
import { deleteSecret, getSecret, listSecrets, putSecret, revealSecrets, rewrapSecrets } from './secrets.ts';
import { Vault } from './vault.ts';

let store: FreshStore;
const key = randomBytes(32);
const vault = new Vault(key);

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

describe('authorisations', () => {
  test('are the last saved values, for every process, and older ones are deleted', async () => {
    const one = storedAuthorizations(store, vault, 'one');
    expect(await one.load('remote')).toBeUndefined();
    for (const text of ['first', 'second']) await one.save('remote', text);
    expect(await storedAuthorizations(store, vault, 'other').load('remote')).toBe('second');
    const { rows } = await store.pool.query(`select version from secret where name = 'oauth:remote'`);
    expect(rows).toEqual([{ version: 2 }]);
    expect(await one.load('another')).toBeUndefined();
  });

  test('that are saved at once leave one complete value', async () => {
    const all = storedAuthorizations(store, vault, 'one');
    const texts = Array.from({ length: 5 }, (_, n) => `text ${n}`);
    await Promise.all(texts.map((text) => all.save('raced', text)));
    expect(texts).toContain(await all.load('raced'));
  });

  test('are not reachable as secrets: not listed, shown, revealed, set or deleted', async () => {
    const all = storedAuthorizations(store, vault, 'one');
    await all.save('hidden', 'token');
    await putSecret(store, vault, { name: 'p', value: 'x', by: 'ada' });
    expect((await listSecrets(store, { limit: 10 })).secrets.map(({ name }) => name)).toEqual(['p']);
    expect(await getSecret(store, 'oauth:hidden')).toBeUndefined();
    expect((await revealSecrets(store, vault, ['oauth:hidden'])).size).toBe(0);
    expect(await deleteSecret(store, 'oauth:hidden', 'ada')).toBe(false);
    await expect(putSecret(store, vault, { name: 'oauth:hidden', value: 'x', by: 'ada' })).rejects.toThrow(
      'reserved for values of Baton itself',
    );
    expect(await all.load('hidden')).toBe('token');
  });

  test('are rewrapped with the secrets under another key of the installation', async () => {
    await storedAuthorizations(store, vault, 'one').save('moved', 'kept');
    const next = new Vault(randomBytes(32), key);
    expect(await rewrapSecrets(store, next)).toMatchObject({ lost: 0 });
    expect(await storedAuthorizations(store, next, 'one').load('moved')).toBe('kept');
    expect(await storedAuthorizations(store, vault, 'one').load('moved')).toBeUndefined();
  });
});
