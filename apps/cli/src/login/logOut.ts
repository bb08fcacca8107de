import { rm } from 'node:fs/promises';

import { CommandLogin, ProviderFault } from '@baton/oauth/login';

import { serverOf } from '../client/address.ts';
import { withLock } from '../client/fileLock.ts';
import { loginFileOf, readLogin } from '../client/loginFile.ts';
import { lockOf } from '../client/savedLogin.ts';
import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exitCodes.ts';
import { oneLine } from '../output/text.ts';

/** Ends the log-in at the server and removes it here, also where the server cannot be reached. */
export async function logOut({ env, stderr }: Context, url: URL): Promise<ExitCode> {
  const server = serverOf(url);
  const file = loginFileOf(env, server);
  // A command that renews it now would write the file again.
  return withLock(lockOf(file), async () => {
    const kept = await readLogin(file, server).catch((error: unknown) => {
      if (error instanceof CommandError) stderr.line(oneLine(error.message));
      else throw error;
      return undefined;
    });
    const fault = kept === undefined ? undefined : await revoke(server, kept.refresh);
    const isThere = await removed(file);
    if (!isThere) throw new CommandError(exitCodes.notFound, `This account is not logged in at ${server}.`);
    if (fault === undefined) {
      stderr.line(oneLine(`Logged out of ${server}.`));
      return exitCodes.done;
    }
    stderr.line(oneLine(`The log-in is removed from this machine. ${fault.message}`));
    stderr.line('It is not ended there: end it under Settings, Connected clients. Unused, it ends after 30 days.');
    return exitCodes.unreachable;
  });
}

async function revoke(server: string, refresh: string): Promise<ProviderFault | undefined> {
  try {
    await (await CommandLogin.at(server)).revoke(refresh);
    return undefined;
  } catch (error) {
    if (error instanceof ProviderFault) return error;
    throw error;
  }
}

/** False where it was not there. */
const removed = (file: string): Promise<boolean> =>
  rm(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
