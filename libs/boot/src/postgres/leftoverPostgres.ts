/** Finds and stops a Postgres that outlived the process that started it. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { exitCodes, StartError } from '../failure/startError.ts';
import { allPids, isAlive, stopProcess, workingFolderOf } from '../orphans/processTable.ts';

const lockFile = (database: string): string => join(database, 'postmaster.pid');

interface PostmasterFile {
  /** The process id of the current or last owner. */
  readonly pid: number;
  /** Where the database was when that owner began: in a copy, the place of the original. */
  readonly database: string;
  readonly port: number;
}

async function readPostmasterFile(database: string): Promise<PostmasterFile | undefined> {
  const [pid = '', written = '', , port = ''] = (await readFile(lockFile(database), 'utf8').catch(() => '')).split(
    '\n',
  );
  return Number(pid) > 0 ? { pid: Number(pid), database: written, port: Number(port) } : undefined;
}

const lockPid = async (database: string): Promise<number | undefined> => (await readPostmasterFile(database))?.pid;

/** Postgres makes the data folder its working folder, and so do the processes it consists of. */
const isPostgresOf = (database: string, pid: number): boolean => workingFolderOf(pid) === database;

/** The port of the Postgres that has begun in this folder, and not in the one that this is a copy of. */
export async function portOf(database: string): Promise<number | undefined> {
  const file = await readPostmasterFile(database);
  return file?.database === database ? file.port : undefined;
}

/** Whether the folder is a copy of one whose Postgres ran then, and runs still. */
export async function isCopiedFromRunning(database: string): Promise<boolean> {
  const file = await readPostmasterFile(database);
  return file !== undefined && file.database !== database && isPostgresOf(file.database, file.pid);
}

/**
 * The pid in `postmaster.pid`, where a Postgres really runs in that folder: after a crash the number may be anyone's.
 */
export async function runningPostgres(database: string): Promise<number | undefined> {
  const pid = await lockPid(database);
  return pid !== undefined && isAlive(pid) && isPostgresOf(database, pid) ? pid : undefined;
}

/**
 * Call it only while holding the folder's lock: the former owner is then dead. True where there was a leftover
 * Postgres.
 */
export async function stopLeftoverPostgres(database: string): Promise<boolean> {
  const pid = await runningPostgres(database);
  if (pid === undefined) {
    await dropForeignLock(database);
    return false;
  }
  // fast: ends the sessions and writes a checkpoint; immediate: recovers at the next start.
  const isGone = await stopProcess(pid, [
    { signal: 'SIGINT', waitMs: 10_000 },
    { signal: 'SIGQUIT', waitMs: 5_000 },
    { signal: 'SIGKILL', waitMs: 2_000 },
  ]);
  if (!isGone) {
    throw new StartError(`The Postgres that an earlier start left behind (process ${pid}) does not stop.`, {
      exitCode: exitCodes.unavailable,
    });
  }
  return true;
}

/**
 * Removes a stale lock file, which keeps Postgres from starting: its pid belongs to an unrelated process, or to a
 * zombie. Only when nothing of the old server is left; until then, and where processes cannot be listed, Postgres
 * itself reports the problem.
 */
async function dropForeignLock(database: string): Promise<void> {
  const pid = await lockPid(database);
  if (pid === undefined || (isAlive(pid) && workingFolderOf(pid) === undefined)) return;
  const all = allPids();
  if (all.length > 0 && !all.some((one) => isPostgresOf(database, one))) await rm(lockFile(database), { force: true });
}
