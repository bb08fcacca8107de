import { randomBytes } from 'node:crypto';

import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { deleteSecret, getSecret, listSecrets, putSecret, revealSecrets, rewrapSecrets } from './secrets.ts';
import { Vault } from './vault.ts';

let store: FreshStore;
const key = randomBytes(32);
const vault = new Vault(key);

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

const put = (name: string, value: string) => putSecret(store, vault, { name, value, by: 'ada' });

describe('secrets', () => {
  test('are revealed by name, and lists do not contain the value', async () => {
    await put('TOKEN', 'swordfish');
    expect(await revealSecrets(store, vault, ['TOKEN', 'NONE', '\0'])).toEqual(
      new Map([['TOKEN', { value: 'swordfish' }]]),
    );
    const summary = { name: 'TOKEN', version: 1, setBy: 'ada', setAt: expect.any(Number) as number };
    expect(await getSecret(store, 'TOKEN')).toEqual(summary);
    expect((await listSecrets(store, { limit: 10 })).secrets).toEqual([summary]);
  });

  test('keep the previous value, and no older one', async () => {
    for (const value of ['one', 'two', 'three']) await put('ROTATED', value);
    expect(await revealSecrets(store, vault, ['ROTATED'])).toEqual(
      new Map([['ROTATED', { value: 'three', before: 'two' }]]),
    );
    const { rows } = await store.pool.query(`select version from secret where name = 'ROTATED' order by version`);
    expect(rows).toEqual([{ version: 2 }, { version: 3 }]);
  });

  test('that are set at the same moment are all versions of their own', async () => {
    const set = await Promise.all(Array.from({ length: 5 }, (_, n) => put('RACED', `value ${n}`)));
    expect(set.flatMap((one) => one?.version ?? []).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
  });

  test('stay bound to workflows and servers until the binding is changed, and keep their values', async () => {
    const set = (more: object) => putSecret(store, vault, { name: 'BOUND', by: 'ada', ...more });
    expect(await set({ workflows: ['w'] })).toBeUndefined();
    expect(await set({ value: 'one', workflows: ['w'], servers: [] })).toMatchObject({ workflows: ['w'], servers: [] });
    expect(await set({ value: 'two' })).toMatchObject({ version: 2, workflows: ['w'], servers: [] });
    expect(await set({ workflows: null, servers: ['s'] })).toEqual(expect.not.objectContaining({ workflows: ['w'] }));
    const revealed = (await revealSecrets(store, vault, ['BOUND'])).get('BOUND');
    expect(revealed).toEqual({ value: 'two', before: 'one', servers: ['s'] });
    expect(await getSecret(store, 'BOUND')).toMatchObject({ version: 3, servers: ['s'] });
    expect((await listSecrets(store)).secrets).toContainEqual(
      expect.objectContaining({ name: 'BOUND', servers: ['s'] }),
    );
    await deleteSecret(store, 'BOUND', 'ada');
  });

  test('cannot be decrypted with wider bindings in the database', async () => {
    await putSecret(store, vault, { name: 'NARROW', value: 'secret', workflows: ['w'], by: 'ada' });
    await store.pool.query(`update secret set workflows = '{*}' where name = 'NARROW'`);
    expect((await revealSecrets(store, vault, ['NARROW'])).size).toBe(0);
    await deleteSecret(store, 'NARROW', 'ada');
  });

  test('are gone once they are deleted', async () => {
    await put('GONE', 'x');
    expect(await deleteSecret(store, 'GONE', 'ada')).toBe(true);
    expect(await deleteSecret(store, 'GONE', 'ada')).toBe(false);
    expect(await getSecret(store, 'GONE')).toBeUndefined();
  });

  test('are not in the database in clear text', async () => {
    await put('CANARY', 'canary-8d1f20');
    const { rows } = await store.pool.query<{ dump: string }>(
      `select string_agg(secret::text, ' ') as dump from secret`,
    );
    const dump = rows[0]?.dump ?? '';
    expect(dump).toContain('CANARY');
    for (const form of ['canary-8d1f20', Buffer.from('canary-8d1f20').toString('hex')])
      expect(dump).not.toContain(form);
  });

  test('are rewrapped under another key of the installation', async () => {
    await put('MOVED', 'kept');
    const next = new Vault(randomBytes(32), key);
    expect(await rewrapSecrets(store, new Vault(randomBytes(32)))).toMatchObject({ moved: 0 });
    expect(await rewrapSecrets(store, next)).toMatchObject({ lost: 0 });
    expect((await revealSecrets(store, next, ['MOVED'])).get('MOVED')?.value).toBe('kept');
    expect((await revealSecrets(store, vault, ['MOVED'])).size).toBe(0);
  });

  test('come in pages', async () => {
    const names: string[] = [];
    let after: string | undefined;
    do {
      const page = await listSecrets(store, { limit: 2, ...(after === undefined ? {} : { after }) });
      names.push(...page.secrets.map(({ name }) => name));
      after = page.next;
    } while (after !== undefined);
    expect(names).toEqual(['CANARY', 'MOVED', 'RACED', 'ROTATED', 'TOKEN']);
  });
});
