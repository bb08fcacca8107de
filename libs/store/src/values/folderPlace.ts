import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { type ValuePlace, ValuesUnavailableError } from './valuePlace.ts';

/** A folder that all processes see under the same path. It has to be there: one that is not mounted holds no value. */
export function folderPlace(folder: string): ValuePlace {
  const pathOf = (key: string): string => join(folder, key.slice(0, 2), key);
  const away = (error: unknown): never => {
    const { code = 'an error' } = error as NodeJS.ErrnoException;
    throw new ValuesUnavailableError(`the folder of values ${folder} cannot be used now (${code})`, { cause: error });
  };
  return {
    name: `file:${folder}`,
    put: (key, content) => write(pathOf(key), content).catch(away),
    get: (key) =>
      readFile(pathOf(key)).catch(async (error: unknown) => {
        if (!isMissing(error)) return away(error);
        await stat(folder).catch(away);
        return undefined;
      }),
    remove: (key) => rm(pathOf(key), { force: true }).catch(away),
  };
}

/** Under its name only when it is whole, and on the disk. */
async function write(path: string, content: Buffer): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const unfinished = `${path}.unfinished`;
  try {
    await writeDurably(unfinished, content);
    await rename(unfinished, path);
  } catch (error) {
    // A full disk is not filled by what was not finished.
    await rm(unfinished, { force: true });
    throw error;
  }
  const entry = await open(folder, 'r');
  try {
    await entry.sync();
  } finally {
    await entry.close();
  }
}

async function writeDurably(path: string, content: Buffer): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';
