import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { UnavailableError } from '@baton/runner';

import type { ValuePlace } from './valuePlace.ts';

/** A folder that all processes see under the same path. */
export function folderPlace(folder: string): ValuePlace {
  const pathOf = (key: string): string => join(folder, key.slice(0, 2), key);
  const away = (error: unknown): never => {
    const { code = 'an error' } = error as NodeJS.ErrnoException;
    throw new UnavailableError(`the folder of values ${folder} cannot be used now (${code})`, { cause: error });
  };
  return {
    name: `file:${folder}`,
    put: (key, content) => write(pathOf(key), content).catch(away),
    get: (key) => readFile(pathOf(key)).catch((error: unknown) => (isMissing(error) ? undefined : away(error))),
    remove: (key) => rm(pathOf(key), { force: true }).catch(away),
  };
}

/** Under its name only when it is whole, and on the disk. */
async function write(path: string, content: Buffer): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const unfinished = `${path}.unfinished`;
  const file = await open(unfinished, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
  const entry = await open(folder, 'r');
  try {
    await entry.sync();
  } finally {
    await entry.close();
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';
