/** Finds a program the way a shell would, without one. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** Absolute path of the program; undefined if there is no executable one. */
export async function findExecutable(
  command: string,
  searchPath: string | undefined,
  cwd: string,
): Promise<string | undefined> {
  if (command.includes('/')) {
    const path = isAbsolute(command) ? command : resolve(cwd, command);
    return (await isExecutable(path)) ? path : undefined;
  }
  for (const folder of (searchPath ?? '').split(delimiter)) {
    const path = join(folder === '' ? cwd : resolve(cwd, folder), command);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
