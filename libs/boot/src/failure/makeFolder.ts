import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it, one by one; no other account may read them. Node's `mkdir` with `recursive` does not
 * end where a folder is there and nothing can be made in it, such as `/proc`. Rejects with the error of the file system.
 */
export async function makeFolder(path: string): Promise<void> {
  const make = async (): Promise<void> => {
    try {
      await mkdir(path, { mode: 0o700 });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
    }
  };
  const above = dirname(resolve(path));
  try {
    await make();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || above === resolve(path)) throw error;
    await makeFolder(above);
    await make();
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
