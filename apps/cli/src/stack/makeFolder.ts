import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it, one by one. Node's `mkdir` with `recursive` does not end where a folder is there and
 * nothing can be made in it, such as `/proc`. Rejects with the error of the file system.
 */
export async function makeFolder(path: string): Promise<void> {
  const make = (): Promise<void> => mkdir(path, { mode: 0o700 });
  const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
  try {
    await make();
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    if (codeOf(error) !== 'ENOENT' || dirname(resolve(path)) === resolve(path)) throw error;
    await makeFolder(dirname(resolve(path)));
    await make().catch((again: unknown) => {
      if (codeOf(again) !== 'EEXIST') throw again;
    });
  }
}
