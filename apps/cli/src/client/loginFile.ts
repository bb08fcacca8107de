/** The file with the tokens of a log-in: one for each server, readable by this account alone. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';

import type { LoginTokens } from '@baton/oauth/login';
import { isObject } from '@baton/primitives';

import { CommandError } from '../commandError.ts';
import type { Environment } from '../environment.ts';
import { exitCodes } from '../exitCodes.ts';
import { configFolder } from './configFolder.ts';

export interface KeptLogin {
  /** Of the server: origin and path prefix, without a slash at the end. */
  readonly url: string;
  readonly access: string;
  readonly refresh: string;
  /** Of the access token, epoch milliseconds. */
  readonly expiresAt: number;
}

export const keptLogin = (url: string, { access, refresh, lifeMs }: LoginTokens): KeptLogin => ({
  url,
  access,
  refresh,
  expiresAt: Date.now() + lifeMs,
});

const folderOf = (env: Environment): string => join(configFolder(env), 'logins');

/** `server`: as `serverOf` has it. */
export function loginFileOf(env: Environment, server: string): string {
  const host = new URL(server).host.replaceAll(/[^\w.-]/g, '_').slice(0, 100);
  const digest = createHash('sha256').update(server).digest('hex').slice(0, 16);
  return join(folderOf(env), `${host}-${digest}.json`);
}

/** Undefined where there is none. Rejects with `CommandError` for a file that others could have read or written. */
export async function readLogin(file: string, server: string): Promise<KeptLogin | undefined> {
  const opened = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(absent(file));
  if (opened === undefined) return undefined;
  try {
    await checkOwn(file, opened);
    const kept = loginIn(await opened.readFile('utf8'));
    // A file that was copied to another name sends its tokens to no other server.
    if (kept?.url === server) return kept;
  } finally {
    await opened.close();
  }
  throw unusable(file, 'it is damaged');
}

/** Rejects with the errors of the file system. */
export async function writeLogin(file: string, login: KeptLogin): Promise<void> {
  const { replaceFile } = await import('@baton/boot');
  await replaceFile(file, `${JSON.stringify(login)}\n`);
}

const absent = (file: string) => (error: NodeJS.ErrnoException) => {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw unusable(file, error.code === 'ELOOP' ? 'it is a link' : `it cannot be read (${error.code ?? ''})`);
};

/** Rejects with `CommandError`. */
async function checkOwn(file: string, opened: FileHandle): Promise<void> {
  const { mode, uid } = await opened.stat();
  const us = process.getuid?.();
  if (us === undefined) return;
  if (uid !== us) throw unusable(file, 'it belongs to another account');
  if ((mode & 0o077) !== 0) throw unusable(file, 'other accounts may read or write it');
}

const unusable = (file: string, why: string): CommandError =>
  new CommandError(exitCodes.notAllowed, `The log-in in ${file} is not used: ${why}.`, {
    hint: 'remove the file, and log in again with `baton login`',
  });

function loginIn(text: string): KeptLogin | undefined {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(read)) return undefined;
  const { url, access, refresh, expiresAt } = read;
  const isWhole = [url, access, refresh].every((one) => typeof one === 'string') && typeof expiresAt === 'number';
  return isWhole ? (read as unknown as KeptLogin) : undefined;
}
