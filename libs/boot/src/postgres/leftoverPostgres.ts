/** Finds and stops a Postgres that outlived the process that started it. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { allPids, isAlive, stopProcess, workingFolderOf } from '../process/processTable.ts';
import { exitCodes, StartError } from '../process/startError.ts';

const lockFile = (database: string): string => join(database, 'postmaster.pid');

/** The process id of the current or last owner. */
async function lockPid(database: string): Promise<number | undefined> {
  const pid = Number.parseInt(await readFile(lockFile(database), 'latin1').catch(() => ''), 10);
  return pid > 0 ? pid : undefined;
}

/** Postgres makes the data folder its working folder, and so do the processes it consists of. */
const isPostgresOf = (database: string, pid: number): boolean => workingFolderOf(pid) === database;

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
