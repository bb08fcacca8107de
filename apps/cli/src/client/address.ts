/** Finds the address of the API and the key for it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { urlFault } from '@baton/primitives';

import { CommandError } from '../commandError.ts';
import type { Environment } from '../environment.ts';
import { exitCodes } from '../exitCodes.ts';
import { shellWord } from '../shellWord.ts';
import { dataFolderAbove, ownDataFolder } from './dataFolder.ts';
import { isListening, isLoopback, lostProcess, readAddress } from './runningAddress.ts';

/** The value from the command line; absent if there is none. */
export interface AddressOptions {
  readonly url?: string | undefined;
  readonly apiKey?: string | undefined;
}

/**
 * From the command line, else `BATON_URL`, else where the Baton of the data folder listens, else `BATON_PORT` of this
 * machine. The user chose the first two; the others are used only while the account of that Baton listens there.
 * Rejects with `CommandError` for an invalid address, and if no Baton runs here.
 */
export async function findUrl({ url }: AddressOptions, env: Environment): Promise<URL> {
  const written = url ?? given(env['BATON_URL']) ?? (await addressHere(env));
  const fault = urlFault(written, ['http:', 'https:']);
  const parsed = URL.parse(written);
  if (fault === undefined && parsed !== null) return parsed;
  const from = url === undefined ? 'BATON_URL' : '--url';
  throw new CommandError(exitCodes.usage, `${from} is not an http(s) address: it is ${fault}.`, {
    hint: 'write it as http://127.0.0.1:4400',
  });
}

/** As servers name themselves: origin and path prefix, without a slash at the end. */
export const serverOf = (url: URL): string => `${url.origin}${url.pathname.replace(/\/+$/, '')}`;

async function addressHere(env: Environment): Promise<string> {
  const folder = await dataFolderOf(env);
  const running = await readAddress(folder);
  if (running !== undefined) return running;
  const here = URL.parse(`http://127.0.0.1:${given(env['BATON_PORT']) ?? '0'}`);
  if (here !== null && here.port !== '0' && (await isListening(here, folder))) return here.origin;
  const lost = await lostProcess(folder);
  if (lost !== undefined)
    throw new CommandError(
      exitCodes.unreachable,
      `The Baton of the data folder ${folder} was stopped by force: its process ${lost} is gone.`,
      { hint: `its runs are in that folder, and go on once it runs again: ${startOf(folder, env)}` },
    );
  throw new CommandError(exitCodes.unreachable, `No Baton runs on the data folder ${folder}.`, {
    hint: 'start it with `baton dev` (`npm start` in a clone of Baton), or name one that runs with --url, BATON_URL, or its data folder in BATON_DATA',
  });
}

/** The command that starts the Baton of the data folder. */
const startOf = (folder: string, env: Environment): string =>
  given(env['BATON_DATA']) === undefined ? '`baton dev`' : `\`BATON_DATA=${shellWord(folder)} baton dev\``;

const dataFolderOf = async (env: Environment): Promise<string> => given(env['BATON_DATA']) ?? ownDataFolder();

/**
 * The data folder of a folder above, if the address or the key of a command comes from it; undefined otherwise. Rejects
 * with `CommandError` for an invalid address.
 */
export async function inheritedDataFolder(options: AddressOptions, env: Environment): Promise<string | undefined> {
  if (given(env['BATON_DATA']) !== undefined) return undefined;
  const above = await dataFolderAbove(process.cwd());
  if (above === undefined) return undefined;
  const hasUrl = (options.url ?? given(env['BATON_URL'])) !== undefined;
  const takesKey =
    givenKey(options, env) === undefined && isLoopback(await findUrl(options, { ...env, BATON_DATA: above }));
  return !hasUrl || takesKey ? above : undefined;
}

/**
 * From the command line, else `BATON_API_KEY`, else the admin key in the data folder, which is sent only to this
 * machine, never to another `--url`.
 */
export async function findApiKey(options: AddressOptions, url: URL, env: Environment): Promise<string | undefined> {
  const key = givenKey(options, env);
  if (key !== undefined || !isLoopback(url)) return key;
  return readKeyFile(await dataFolderOf(env));
}

/** Of the command line or the environment: it goes before a log-in. */
export const givenKey = ({ apiKey }: AddressOptions, env: Environment): string | undefined =>
  apiKey ?? given(env['BATON_API_KEY']);

/** Where the orchestrator keeps the admin key that it makes. */
export const keyFile = (dataFolder: string): string => join(dataFolder, 'admin-key');

async function readKeyFile(dataFolder: string): Promise<string | undefined> {
  try {
    return given(await readFile(keyFile(dataFolder), 'utf8'));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new CommandError(exitCodes.notAllowed, `The key in ${keyFile(dataFolder)} cannot be read (${code}).`, {
      cause: error,
      hint: 'use the account that Baton runs as, or set BATON_API_KEY',
    });
  }
}

/** Undefined for white space, which is no value of a setting. */
export const given = (text: string | undefined): string | undefined => {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
};
