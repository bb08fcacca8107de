/** One Baton per data folder, however many containers have it. */
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { access, constants, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';

import { cannotWrite } from '../failure/cannotWrite.ts';
import { makeFolder } from '../failure/makeFolder.ts';
import { isAlive } from '../orphans/processTable.ts';
import { type FileLock, lockFile } from './fileLock.ts';

/** Another process has the folder. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
}

export interface FolderLock {
  /** Without symbolic links: the name by which the folder is known. */
  readonly folder: string;
  release(): Promise<void>;
}

/** Stays in the folder: who removed it while another process waits for it would let two in. */
const lockName = 'lock';
/** Who has the lock, for people. */
const ownerName = 'lock.json';

interface Owner {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

/**
 * Creates the folder if it is missing. Rejects with `FolderInUseError`, whose message names the process that has it;
 * with `StartError` if the folder cannot be written to.
 */
export async function lockFolder(path: string): Promise<FolderLock> {
  const folder = await writableFolder(path).catch(cannotWrite(path));
  const lock = take(folder);
  if (lock === undefined) throw inUse(folder, await readOwner(folder));
  if (await hasOlderLock(folder)) {
    lock.release();
    throw inUse(folder, undefined);
  }
  const file = join(folder, ownerName);
  const owner: Owner = { pid: process.pid, host: hostname(), since: new Date().toISOString() };
  await writeFile(file, `${JSON.stringify(owner)}\n`, { mode: 0o600 }).catch((error: unknown) => {
    lock.release();
    return cannotWrite(path)(error);
  });
  const release = async (): Promise<void> => {
    await rm(file, { force: true });
    lock.release();
  };
  return { folder, release };
}

async function writableFolder(path: string): Promise<string> {
  await makeFolder(path);
  await access(path, constants.W_OK | constants.X_OK);
  return realpath(path);
}

function take(folder: string): FileLock | undefined {
  try {
    return lockFile(join(folder, lockName));
  } catch (cause) {
    // SQLite's errors have no codes of the system.
    return cannotWrite(folder)(Object.assign(new Error('the lock cannot be opened', { cause }), { code: 'EACCES' }));
  }
}

/** Undefined where it is not known: written by a process that is dead, or not yet. */
async function readOwner(folder: string): Promise<Owner | undefined> {
  try {
    const owner = JSON.parse(await readFile(join(folder, ownerName), 'utf8')) as Owner;
    return owner.host === hostname() && !isAlive(owner.pid) ? undefined : owner;
  } catch {
    return undefined;
  }
}

/** Of a Baton before 2026-11-27, which may run while a newer one starts: a name outside of the file system. */
async function hasOlderLock(folder: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const socket = connect(`\0baton-${hash('sha256', folder, 'hex').slice(0, 32)}`).on('error', () => undefined);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function inUse(folder: string, owner: Owner | undefined): FolderInUseError {
  const elsewhere = owner === undefined || owner.host === hostname() ? '' : ` on ${owner.host}`;
  const by = owner === undefined ? 'another process' : `process ${owner.pid}${elsewhere}, since ${owner.since}`;
  const hint = 'Stop it, or set BATON_DATA to another folder.';
  const unlockable = owner === undefined ? ' Where there is none, the file system of the folder gives no locks.' : '';
  return new FolderInUseError(`The data folder ${folder} is in use by ${by}. ${hint}${unlockable}`);
}
