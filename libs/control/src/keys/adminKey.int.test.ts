import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { listApiKeys, revokeApiKey } from '@baton/store';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { ensureAdminKey } from './adminKey.ts';

let store: FreshStore;
let dataFolder: string;

beforeEach(async () => {
  store = await freshStore();
  dataFolder = await mkdtemp(join(tmpdir(), 'baton-admin-key-'));
});

afterEach(async () => {
  await store.close();
  await rm(dataFolder, { recursive: true, force: true });
});

const start = (given?: string) => ensureAdminKey(store, { given, dataFolder });

/** Names of the keys that are valid. */
const validKeys = async (): Promise<readonly string[]> =>
  (await listApiKeys(store)).filter(({ revokedAt }) => revokedAt === undefined).map(({ id }) => id);

test('the first start makes a key, which its owner alone can read, and the next keeps it', async () => {
  // Nothing else has made the folder where the secret key is a setting.
  await rm(dataFolder, { recursive: true });
  const file = join(dataFolder, 'admin-key');
  const made = await start();
  expect(made).toMatchObject({ kind: 'made', file });
  expect(`${made.kind === 'made' ? made.text : ''}\n`).toBe(await readFile(file, 'utf8'));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await start()).toEqual({ kind: 'kept' });
  expect(await validKeys()).toHaveLength(1);
});

test('a file that others could read is not written through', async () => {
  const file = join(dataFolder, 'admin-key');
  await writeFile(`${file}.new`, 'old', { mode: 0o644 });
  expect(await start()).toMatchObject({ kind: 'made' });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('where the only admin key was revoked, another one is made: its operator is not locked out', async () => {
  await start();
  const [first = ''] = await validKeys();
  await revokeApiKey(store, first, 'test');
  expect(await start()).toMatchObject({ kind: 'made' });
  expect(await validKeys()).not.toContain(first);
});

test('another key in the settings replaces the one before, which may have leaked, for good', async () => {
  const [old, young] = ['an old key of the settings, long', 'a new key of the settings, long'];
  expect(await start(old)).toEqual({ kind: 'given' });
  const before = await validKeys();
  expect(await start(young)).toEqual({ kind: 'given' });
  const after = await validKeys();
  expect([before.length, after.length]).toEqual([1, 1]);
  expect(after).not.toEqual(before);
  expect(await start(old)).toEqual({ kind: 'given-revoked' });
  expect(await validKeys()).toEqual(after);
});
