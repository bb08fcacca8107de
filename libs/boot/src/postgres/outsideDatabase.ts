/**
 * A database outside of its data folder, where the system user that runs Postgres could not reach it. The folder may be
 * copied and the database is not, so beside the database stands which folder it belongs to.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';

import { StartError } from '../failure/startError.ts';
import { lockFile } from '../process/fileLock.ts';

/**
 * `folder`: the data folder that leads to `database`, both without symbolic links. Resolves to a function that gives the
 * database back. Rejects with `StartError` where another folder has it, or a copy of the folder uses it.
 */
export async function claimOutside(folder: string, database: string): Promise<() => void> {
  const lock = lockFile(`${database}.lock`);
  const refuse = (why: string): StartError =>
    new StartError(
      `The database of the data folder ${folder} is not in it: it is ${database}, and ${why}. ` +
        'A copy of the folder has no database of its own: make the copy with `baton backup` and `baton restore`.',
    );
  if (lock === undefined) throw refuse('another Baton uses it');
  const ownerFile = `${database}.folder`;
  const written = await readFile(ownerFile, 'utf8').catch(() => undefined);
  // A Baton before 2026-11-27 kept no such file. What was inside of a folder belongs to that folder.
  const owner = written ?? dirname(database);
  if (owner !== folder && (await leadsTo(owner, database))) {
    lock.release();
    throw refuse(`belongs to the data folder ${owner}`);
  }
  if (written !== folder) await writeFile(ownerFile, folder, { mode: 0o600 });
  return () => lock.release();
}

/** Whether the folder is still there, and still leads to the database. */
async function leadsTo(folder: string, database: string): Promise<boolean> {
  try {
    const memory = JSON.parse(await readFile(join(folder, 'postgres.json'), 'utf8')) as { readonly database: string };
    return (isAbsolute(memory.database) ? memory.database : join(folder, memory.database)) === database;
  } catch {
    return false;
  }
}
