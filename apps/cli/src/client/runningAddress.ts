/** Reads and writes the address of the Baton of a data folder: a file in the folder, which exists while Baton runs. */
import { readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { hostname as machineName, networkInterfaces } from 'node:os';
import { join } from 'node:path';

import { isLoopbackHost } from '@baton/primitives';

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
  await writeFile(file, `${address.origin}\n${process.pid}\n${await realpath(dataFolder)}\n`, { mode: 0o600 });
  return () => rm(file, { force: true });
}

/**
 * Undefined if no Baton runs on the folder, or its file cannot be read. Rejects with `CommandError` if the file leads to
 * another machine, since it may have come with a downloaded folder, or to another account of this one, which may listen
 * there since Baton was killed: commands would send keys and secrets there.
 */
export async function readAddress(dataFolder: string): Promise<string | undefined> {
  const [address = '', pid, folder] = (await readText(addressFile(dataFolder))).split('\n');
  const url = URL.parse(address);
  // A folder that was copied while its Baton ran has the file of that Baton.
  if (url === null || (folder !== undefined && folder !== (await realpath(dataFolder)))) return undefined;
  if (isThisMachine(url)) return (await isListening(url, dataFolder, Number(pid))) ? url.origin : undefined;
  const message = `${addressFile(dataFolder)} leads to ${url.host.slice(0, 80)}, which is not this machine.`;
  throw new CommandError(exitCodes.notAllowed, message, { hint: 'set BATON_URL to use a Baton of another machine' });
}

/** The id of the Baton process of the folder that ended without removing its address; undefined: none did. */
export async function lostProcess(dataFolder: string): Promise<number | undefined> {
  const [, text = '', folder] = (await readText(addressFile(dataFolder))).split('\n');
  const pid = /^[1-9]\d*$/.test(text) ? Number(text) : undefined;
  const isOfFolder = folder === (await realpath(dataFolder).catch(() => undefined));
  return pid !== undefined && isOfFolder && !isOurs(pid) ? pid : undefined;
}

/**
 * Whether a process listens at the address whose account may have the key of the data folder: ours, the folder's owner,
 * or root. `pid`: of the Baton that wrote the address; where the system does not tell who listens, it must be alive, and
 * ours. Rejects with `CommandError` if another account listens at the port.
 */
export async function isListening(url: URL, dataFolder: string, pid?: number): Promise<boolean> {
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const accounts = await accountsAt(port);
  if (accounts === undefined) return pid !== undefined && isOurs(pid);
  const owner = await stat(dataFolder)
    .then(({ uid }) => uid)
    .catch(() => undefined);
  const strangers = [...accounts].filter((account) => ![0, process.getuid?.(), owner].includes(account));
  if (strangers.length === 0) return accounts.size > 0;
  throw new CommandError(
    exitCodes.notAllowed,
    `Another account (user id ${strangers[0]}) listens at port ${port} of this machine. Nothing was sent there.`,
    { hint: 'start Baton with `baton dev --port 0`, or set BATON_URL if you trust that account' },
  );
}

function isOurs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // There is no such process, or it belongs to another account.
    return false;
  }
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

export const isLoopback = ({ hostname }: URL): boolean => isLoopbackHost(hostname);

const tables = ['/proc/net/tcp', '/proc/net/tcp6'];

/** The state of a socket that listens, in these tables. */
const listening = '0A';

/**
 * The user ids of all processes that listen at a TCP port, on any address of this machine; undefined where the system
 * has no such table: Linux has.
 */
async function accountsAt(port: number): Promise<ReadonlySet<number> | undefined> {
  const texts = await Promise.all(tables.map((table) => readFile(table, 'utf8').catch(() => undefined)));
  const found = texts.filter((text) => text !== undefined);
  return found.length === 0 ? undefined : new Set(found.flatMap((text) => accountsIn(text, port)));
}

/** Exported for the test. `table`: as in proc(5): address and port in hexadecimal, the state, and later the account. */
export function accountsIn(table: string, port: number): number[] {
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , account] = line.trim().split(/\s+/);
    const isThere = state === listening && Number.parseInt(local.split(':')[1] ?? '', 16) === port;
    return isThere ? [Number(account)] : [];
  });
}
