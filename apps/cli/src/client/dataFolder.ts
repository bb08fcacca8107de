/** Finds the data folder of this machine. */
import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';

export const usualDataFolder = '.baton';

/**
 * The `.baton` of the working directory. Rejects with `CommandError` if it belongs to another account: in a folder that
 * any account can write to, such as `/tmp`, it would decide where a command sends keys and secrets.
 */
export async function ownDataFolder(us = process.getuid?.()): Promise<string> {
  const owner = us === undefined ? undefined : await ownerOf(usualDataFolder);
  if (owner === undefined || owner === us) return usualDataFolder;
  throw new CommandError(exitCodes.notAllowed, `${usualDataFolder} belongs to another account, and is not used.`, {
    hint: `use the account that Baton runs as, or set BATON_DATA=${usualDataFolder} if you trust that account`,
  });
}

/**
 * The `.baton` of the nearest folder above `from` that has one, as git finds its folder; undefined if `from` has one
 * itself, or none has. The search ends at the home folder, and at a folder of another account: any account can write to
 * `/tmp`, and could otherwise have commands sent to an address of its choice. `us`: our user id, where accounts have one.
 */
export async function dataFolderAbove(
  from: string,
  home = homedir(),
  us = process.getuid?.(),
): Promise<string | undefined> {
  if ((await ownerOf(join(from, usualDataFolder))) !== undefined) return undefined;
  for (let at = from; at !== home && at !== dirname(at);) {
    at = dirname(at);
    const folder = join(at, usualDataFolder);
    const owner = await ownerOf(folder);
    if (owner !== undefined) return us === undefined || owner === us ? folder : undefined;
  }
  return undefined;
}

/** The user id of a folder's owner; undefined if there is no such folder, or it is empty: a start that failed made it. */
async function ownerOf(folder: string): Promise<number | undefined> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => (error.code === 'EACCES' ? ['?'] : []));
  return entries.length === 0 ? undefined : (await stat(folder)).uid;
}
