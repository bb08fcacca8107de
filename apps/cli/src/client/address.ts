/** Finds the address of the API and the key for it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';
import { dataFolderAbove, ownDataFolder } from './dataFolder.ts';
import { isLoopback, readAddress } from './runningAddress.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The value from the command line; absent if there is none. */
export interface AddressOptions {
  readonly url?: string | undefined;
  readonly apiKey?: string | undefined;
}

const defaultPort = '4400';

/**
 * From the command line, else `BATON_URL`, else `BATON_PORT` of this machine, else where the Baton of the data folder
 * listens. Rejects with `CommandError` for an invalid address.
 */
export async function findUrl({ url }: AddressOptions, env: Environment): Promise<URL> {
  const written = url ?? given(env['BATON_URL']) ?? (await addressHere(env));
  const parsed = URL.parse(written);
  if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) {
    const from = url === undefined ? 'BATON_URL' : '--url';
    throw new CommandError(exitCodes.usage, `${from} is "${written.slice(0, 80)}", which is not an http(s) address.`, {
      hint: `write it as http://127.0.0.1:${defaultPort}`,
    });
  }
  return parsed;
}

async function addressHere(env: Environment): Promise<string> {
  const port = given(env['BATON_PORT']);
  if (port !== undefined && port !== '0') return `http://127.0.0.1:${port}`;
  const running = await readAddress(await dataFolderOf(env));
  if (running !== undefined) return running;
  if (port === undefined) return `http://127.0.0.1:${defaultPort}`;
  throw new CommandError(exitCodes.usage, 'BATON_PORT is 0, so the port of the API is not known.', {
    hint: 'set its address with --url or BATON_URL',
  });
}

/** Whether nothing names an address: no option, no setting, and no Baton that runs on the data folder. */
export const isDefaultAddress = async ({ url }: AddressOptions, env: Environment): Promise<boolean> =>
  url === undefined &&
  given(env['BATON_URL']) === undefined &&
  given(env['BATON_PORT']) === undefined &&
  (await readAddress(await dataFolderOf(env))) === undefined;

const dataFolderOf = async (env: Environment): Promise<string> => given(env['BATON_DATA']) ?? ownDataFolder();

/**
 * The data folder of a folder above, if the address or the key of a command comes from it; undefined otherwise. Rejects
 * with `CommandError` for an invalid address.
 */
export async function inheritedDataFolder(options: AddressOptions, env: Environment): Promise<string | undefined> {
  if (given(env['BATON_DATA']) !== undefined) return undefined;
  const above = await dataFolderAbove(process.cwd());
  if (above === undefined) return undefined;
  const hasUrl = (options.url ?? given(env['BATON_URL']) ?? given(env['BATON_PORT'])) !== undefined;
  const hasKey = (options.apiKey ?? given(env['BATON_API_KEY'])) !== undefined;
  const takesKey = !hasKey && isLoopback(await findUrl(options, { ...env, BATON_DATA: above }));
  return !hasUrl || takesKey ? above : undefined;
}

/**
 * From the command line, else `BATON_API_KEY`, else the admin key in the data folder, which is sent only to this
 * machine, never to another `--url`.
 */
export async function findApiKey(options: AddressOptions, url: URL, env: Environment): Promise<string | undefined> {
  const key = options.apiKey ?? given(env['BATON_API_KEY']);
  if (key !== undefined || !isLoopback(url)) return key;
  return readKeyFile(await dataFolderOf(env));
}

const keyFile = (dataFolder: string): string => join(dataFolder, 'admin-key');

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

const given = (text: string | undefined): string | undefined => {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
};
