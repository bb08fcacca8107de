import { randomBytes } from 'node:crypto';

import { loginOf } from '@baton/protocol';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { addPerson, removePerson } from '../people/people.ts';
import { storedAuthorizations } from './authorizations.ts';
import { endedLogins, forgetEndedLogin } from './endedLogins.ts';
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

  test('of a person who is removed are kept beside the logins, also under another key, until they are forgotten', async () => {
    const { id } = await addPerson(store, { id: 'person-x', name: 'x', grants: [] }, 'ada');
    const login = loginOf(id);
    const all = storedAuthorizations(store, vault, 'one');
    await all.save('gh', 'its tokens', login);
    await all.save('gh', 'those of all');
    await removePerson(store, id, 'ada');
    expect([await all.load('gh', login), await all.load('gh')]).toEqual([undefined, 'those of all']);
    const next = new Vault(randomBytes(32), key);
    await rewrapSecrets(store, next);
    const [ended, ...others] = await endedLogins(store, next);
    expect([ended, others]).toMatchObject([{ server: 'gh', person: id, by: 'ada', text: 'its tokens' }, []]);
    expect((await endedLogins(store, vault))[0]?.text).toBeUndefined();
    if (ended === undefined) return;
    expect(await forgetEndedLogin(store, ended, undefined)).toBe(true);
    expect(await forgetEndedLogin(store, ended, 'it stays')).toBe(false);
    expect(await endedLogins(store, next)).toEqual([]);
  });
});
