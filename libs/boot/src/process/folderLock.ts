/**
 * One Baton per data folder. The lock is a socket that the kernel closes with its process, so there are no stale locks;
 * a process that finds it taken can ask who holds it.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, constants, realpath, rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { cannotWrite } from './cannotWrite.ts';
import { makeFolder } from './makeFolder.ts';

/** Another process has the folder. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
}

export interface FolderLock {
  /** Without symbolic links: the name by which the folder is known. */
  readonly folder: string;
  release(): Promise<void>;
}

/**
 * Creates the folder if it is missing. Rejects with `FolderInUseError`, whose message names the process that has it;
 * with `StartError` if the folder cannot be written to.
 */
export async function lockFolder(path: string): Promise<FolderLock> {
  const folder = await writableFolder(path);
  const address = addressOf(folder);
  const server = await listen(address).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    const owner = await askOwner(address);
    if (owner !== undefined) throw inUse(folder, owner, error);
    // A socket file that a dead process left behind, on systems where sockets have files.
    await rm(address, { force: true });
    return listen(address);
  });
  server.unref();
  const release = async (): Promise<void> => {
    server.close();
    await once(server, 'close');
  };
  return { folder, release };
}

async function writableFolder(path: string): Promise<string> {
  try {
    await makeFolder(path);
    await access(path, constants.W_OK | constants.X_OK);
    return await realpath(path);
  } catch (error) {
    return cannotWrite(path)(error);
  }
}

/** On Linux a name outside the file system; elsewhere a file with a short path, for socket paths must be short. */
function addressOf(folder: string): string {
  const name = `baton-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`;
  return process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.sock`);
}

async function listen(address: string): Promise<Server> {
  const who = JSON.stringify({ pid: process.pid, since: new Date().toISOString() });
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(who);
  });
  server.listen(address);
  await once(server, 'listening');
  return server;
}

/** What the owner answers about itself; undefined where no process answers. */
async function askOwner(address: string): Promise<string | undefined> {
  const socket = connect(address);
  socket.setTimeout(1_000, () => socket.destroy());
  try {
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return undefined;
    return '';
  }
}

function inUse(folder: string, owner: string, cause: Error): FolderInUseError {
  const [, pid, since] = /^\{"pid":(\d+),"since":"([\d\-T:.Z]+)"\}$/.exec(owner) ?? [];
  const by = pid === undefined ? 'another process' : `process ${pid}, since ${since}`;
  const hint = 'Stop it, or set BATON_DATA to another folder.';
  return new FolderInUseError(`The data folder ${folder} is in use by ${by}. ${hint}`, { cause });
}
