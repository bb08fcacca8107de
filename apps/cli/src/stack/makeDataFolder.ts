import { access, constants } from 'node:fs/promises';

import { makeFolder } from '@baton/boot';

import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';
import { whyOf } from '../output/fileFault.ts';

/** Makes the data folder if it is missing. Rejects with `CommandError` if that fails, or nothing can be written to it. */
export async function makeDataFolder(path: string): Promise<void> {
  try {
    await makeFolder(path);
    await access(path, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code === 'EEXIST' ? 'it is a file' : whyOf(cause);
    throw new CommandError(exitCodes.usage, `The data folder ${path} cannot be used: ${why}.`, {
      cause,
      hint: 'name a folder in which this account may write with BATON_DATA or --data',
    });
  }
}
