import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { makeFolder } from './makeFolder.ts';

/**
 * Replaces a file as a whole, and makes its folder; no other account may read it. Where that fails, the file before stays.
 * `flush`: it is there after a power cut. Rejects with the error of the file system.
 */
export async function replaceFile(file: string, text: string, { flush = true } = {}): Promise<void> {
  await makeFolder(dirname(file));
  const fresh = `${file}.${randomUUID()}.new`;
  try {
    await writeFile(fresh, text, { mode: 0o600, flag: 'wx', flush });
    await rename(fresh, file);
  } finally {
    await rm(fresh, { force: true });
  }
}
