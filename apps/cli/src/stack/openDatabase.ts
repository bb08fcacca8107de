/** The database of a command that works on it without Baton: an embedded Postgres, running or not, or `DATABASE_URL`. */
import { join } from 'node:path';

import {
  FolderInUseError,
  lockFolder,
  readSettings,
  runningPostgres,
  SettingsError,
  StartError,
  startPostgres,
} from '@baton/boot';

import { given } from '../client/address.ts';
import { dataFolderAbove, ownDataFolder, usualDataFolder } from '../client/dataFolder.ts';
import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodeOfStart, exitCodes } from '../exitCodes.ts';
import { makeDataFolder } from './makeDataFolder.ts';

export interface DatabasePlace {
  readonly url: string;
  readonly folder: string;
  /** Where the secret key of the installation is stored: a setting or a file. */
  readonly key: string;
  close(): Promise<void>;
}

/** As a setting: rejects what a start would reject, and shows no part of it. A command needs a session, as migrations do. */
function databaseUrl(env: Context['env'], written: string): string {
  try {
    const { BATON_DIRECT_URL: direct, DATABASE_URL: url } = readSettings([
      { name: 'environment', values: env },
    ]).settings;
    return direct ?? url ?? written;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new CommandError(exitCodes.usage, error.message, { cause: error });
  }
}

/**
 * Where Baton may run, the one that is running is used; else an embedded Postgres is started. Rejects with `CommandError`.
 */
export async function openDatabase(
  { env, stderr }: Context,
  data: string | undefined,
  baton: 'may run' | 'must not run',
): Promise<DatabasePlace> {
  const ownUrl = data === undefined ? given(env['DATABASE_URL']) : undefined;
  if (ownUrl !== undefined) {
    const folder = given(env['BATON_DATA']) ?? usualDataFolder;
    return { url: databaseUrl(env, ownUrl), folder, key: 'BATON_SECRET_KEY', close: async () => {} };
  }
  const above = baton === 'may run' ? await dataFolderAbove(process.cwd()) : undefined;
  const folder = data ?? given(env['BATON_DATA']) ?? above ?? (await ownDataFolder());
  if (folder === above) stderr.line(`Using the data folder ${above}.`);
  const key = env['BATON_SECRET_KEY'] === undefined ? join(folder, 'secret-key') : 'BATON_SECRET_KEY';
  await makeDataFolder(folder);
  try {
    const lock = await lockFolder(folder);
    const postgres = await startPostgres({ folder: lock.folder });
    const close = async (): Promise<void> => {
      await postgres.stop();
      await lock.release();
    };
    return { url: postgres.url, folder: lock.folder, key, close };
  } catch (error) {
    if (error instanceof StartError) throw new CommandError(exitCodeOfStart(error), error.message, { cause: error });
    if (!(error instanceof FolderInUseError)) throw error;
    const url = baton === 'may run' ? await runningPostgres(folder) : undefined;
    if (url !== undefined) return { url, folder, key, close: async () => {} };
    throw new CommandError(exitCodes.conflict, error.message, { cause: error });
  }
}
