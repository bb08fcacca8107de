/** Reads and writes the address of the Baton of a data folder: a file in the folder, which exists while Baton runs. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { hostname as machineName, networkInterfaces } from 'node:os';
import { join } from 'node:path';

import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';

const addressFile = (dataFolder: string): string => join(dataFolder, 'address');

/** Host names that stand for every address of a machine. */
const everywhere = new Set(['0.0.0.0', '[::]']);

/** `url`: the address that the orchestrator reports. Resolves to a function that removes the file. */
export async function writeAddress(dataFolder: string, url: string): Promise<() => Promise<void>> {
  const address = new URL(url);
  if (everywhere.has(address.hostname)) address.hostname = '127.0.0.1';
  const file = addressFile(dataFolder);
  await writeFile(file, `${address.origin}\n`, { mode: 0o600 });
  return () => rm(file, { force: true });
}

/**
 * Undefined if no Baton runs on the folder, or its file cannot be read. Rejects with `CommandError` if the file leads to
 * another machine: it may have come with a downloaded folder, and commands would send keys and secrets there.
 */
export async function readAddress(dataFolder: string): Promise<string | undefined> {
  const url = URL.parse(await readText(addressFile(dataFolder)));
  if (url === null) return undefined;
  if (isThisMachine(url)) return url.origin;
  const message = `${addressFile(dataFolder)} leads to ${url.host.slice(0, 80)}, which is not this machine.`;
  throw new CommandError(exitCodes.notAllowed, message, { hint: 'set BATON_URL to use a Baton of another machine' });
}

async function readText(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch {
    // The key of such a folder is unreadable too, and reading the key reports that.
    return '';
  }
}

function isThisMachine(url: URL): boolean {
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = Object.values(networkInterfaces()).flatMap((of = []) => of.map(({ address }) => address));
  return isLoopback(url) || name === machineName().toLowerCase() || addresses.includes(name);
}

export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
