/** Where the API is, and with which key to speak to it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the command line says; absent where it says nothing. */
export interface AddressOptions {
  readonly url?: string | undefined;
  readonly apiKey?: string | undefined;
}

const defaultPort = '4400';

/** The command line, then `BATON_URL`, then this machine. Throws `CommandError` for what is no address. */
export function findUrl({ url }: AddressOptions, env: Environment): URL {
  const written = url ?? given(env['BATON_URL']) ?? `http://127.0.0.1:${portOf(env)}`;
  const parsed = URL.parse(written);
  if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) {
    const from = url === undefined ? 'BATON_URL' : '--url';
    throw new CommandError(exitCodes.usage, `${from} is "${written.slice(0, 80)}", which is not an http(s) address.`, {
      hint: `write it as http://127.0.0.1:${defaultPort}`,
    });
  }
  return parsed;
}

function portOf(env: Environment): string {
  const port = given(env['BATON_PORT']) ?? defaultPort;
  if (port !== '0') return port;
  throw new CommandError(exitCodes.usage, 'BATON_PORT is 0, so the port of the API is not known.', {
    hint: 'set its address with --url or BATON_URL',
  });
}

/**
 * The command line, then `BATON_API_KEY`, then the key that the server keeps in its data folder. The last of these is
 * the admin's, and is sent to this machine only: never to wherever `--url` may point.
 */
export async function findApiKey(options: AddressOptions, url: URL, env: Environment): Promise<string | undefined> {
  const key = options.apiKey ?? given(env['BATON_API_KEY']);
  if (key !== undefined || !isLoopback(url)) return key;
  return readKeyFile(given(env['BATON_DATA']) ?? '.baton');
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

export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

const given = (text: string | undefined): string | undefined => {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
};
