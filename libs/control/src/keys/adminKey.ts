/**
 * The first admin key. There is always one: Baton serves no client without a key, and the operator is never locked out.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { cannotWrite, makeFolder, SettingsError } from '@baton/boot';
import { type Database, getApiKey, listApiKeys, putApiKey, revokeApiKey } from '@baton/store';

import { credentialOf, makeKey } from './keyText.ts';

export interface AdminKeyOptions {
  /** The key from the settings. */
  readonly given: string | undefined;
  /** The file of a generated key; the CLI on the same machine reads it. */
  readonly dataFolder: string;
}

export type AdminKey =
  | { readonly kind: 'given' }
  /** The key from the settings was revoked, here or by a later one. */
  | { readonly kind: 'given-revoked' }
  | { readonly kind: 'kept' }
  /** Show it to the operator once. */
  | { readonly kind: 'made'; readonly text: string; readonly file: string };

const fromSettings = 'BATON_ADMIN_KEY';

/**
 * Rejects with `SettingsError` for a key that was cut off, with `StartError` where the folder cannot be written to, and
 * with `UnavailableError`.
 */
export async function ensureAdminKey(database: Database, { given, dataFolder }: AdminKeyOptions): Promise<AdminKey> {
  if (given !== undefined) return useGiven(database, given);
  const file = join(dataFolder, 'admin-key');
  const kept = await readKey(file).catch(cannotWrite(dataFolder));
  if (kept !== undefined && (await isUsable(database, kept))) return { kind: 'kept' };
  if (await hasAdmin(database)) return { kind: 'kept' };
  const key = makeKey();
  // Writes the file first: a key that cannot be read would lock the operator out.
  await writeKey(file, key.text).catch(cannotWrite(dataFolder));
  await putApiKey(database, {
    id: key.id,
    name: 'admin',
    secretHash: key.secretHash,
    scopes: ['admin'],
    createdBy: 'start',
  });
  return { kind: 'made', text: key.text, file };
}

/** A new key in the settings replaces the previous one, which may have leaked. */
async function useGiven(database: Database, given: string): Promise<AdminKey> {
  const credential = credentialOf(given);
  if (credential === undefined) {
    throw new SettingsError([`${fromSettings}: it begins like a key of Baton's own form, but was mistyped or cut off`]);
  }
  const { id, secretHash } = credential;
  await putApiKey(database, { id, name: fromSettings, secretHash, scopes: ['admin'], createdBy: fromSettings });
  const stored = await getApiKey(database, id);
  if (stored?.revokedAt !== undefined) return { kind: 'given-revoked' };
  for (const other of await listApiKeys(database)) {
    if (other.createdBy === fromSettings && other.id !== id) await revokeApiKey(database, other.id, fromSettings);
  }
  return { kind: 'given' };
}

/** The file survives an emptied database; its key is then valid again. */
async function isUsable(database: Database, text: string): Promise<boolean> {
  const credential = credentialOf(text);
  if (credential === undefined) return false;
  const { id, secretHash } = credential;
  await putApiKey(database, { id, name: 'admin', secretHash, scopes: ['admin'], createdBy: 'start' });
  const stored = await getApiKey(database, id);
  return stored !== undefined && stored.revokedAt === undefined && secretHash.equals(stored.secretHash);
}

async function hasAdmin(database: Database): Promise<boolean> {
  const keys = await listApiKeys(database);
  return keys.some(
    ({ scopes, revokedAt, expiresAt }) =>
      scopes.includes('admin') && revokedAt === undefined && expiresAt === undefined,
  );
}

async function readKey(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Readable by its owner only, and written atomically. Makes the folder. */
async function writeKey(file: string, text: string): Promise<void> {
  await makeFolder(dirname(file));
  const fresh = `${file}.new`;
  await rm(fresh, { force: true });
  await writeFile(fresh, `${text}\n`, { mode: 0o600, flag: 'wx' });
  await rename(fresh, file);
}
