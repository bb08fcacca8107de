/** Where an embedded Postgres lives, and what must be remembered to find it again. */
import { randomBytes, randomUUID } from 'node:crypto';
import { access, chmod, mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';

import { cannotWrite } from '../failure/cannotWrite.ts';
import { makeFolder } from '../failure/makeFolder.ts';
import { replaceFile } from '../failure/replaceFile.ts';
import { StartError } from '../failure/startError.ts';
import { claimOutside } from './outsideDatabase.ts';
import { copyBinaries, postgresBinaries, type PostgresBinaries } from './postgresBinaries.ts';
import { canReach, postgresUser, type SystemUser } from './postgresUser.ts';

const memoryFile = 'postgres.json';
/** Of the data folder. */
const inside = 'postgres';

/** Kept as `postgres.json` in the data folder, readable by its owner alone. */
export interface PostgresMemory {
  /** From the data folder on, which may be moved and copied; absolute where it is outside of it. */
  readonly database: string;
  readonly password: string;
  /** Absent before its first start. */
  readonly port?: number;
}

export interface PostgresPlace {
  readonly binaries: PostgresBinaries;
  /** The system user that runs it, if it is not ours. */
  readonly user: SystemUser | undefined;
  readonly memory: PostgresMemory;
  /** Where it is. */
  readonly database: string;
  /** Sentences about what had to be put elsewhere than asked. */
  readonly notes: readonly string[];
  /** Call it when the database has stopped. */
  release(): void;
}

/** Owner of the database. */
export const postgresRole = 'baton';

/** For the system user, if it cannot reach root's folders. */
const elsewhere = '/var/lib/baton';

export async function postgresPlace(folder: string): Promise<PostgresPlace> {
  const user = await postgresUser();
  await makePassable(folder, user);
  const notes: string[] = [];
  const own = await postgresBinaries();
  const reachesBinaries = await canReach(user, own.postgres);
  if (!reachesBinaries) await makeElsewhere();
  const binaries =
    reachesBinaries && own.isComplete ? own : await copyBinaries(own, reachesBinaries ? folder : elsewhere);
  const before = await recall(folder);
  // Reported only when the installation is created.
  if (!reachesBinaries && before === undefined)
    notes.push(`The system user postgres cannot reach the installed Postgres; a copy in ${elsewhere} runs instead.`);
  const memory = before ?? (await choose(folder, user, notes));
  const real = await realpath(folder);
  const database = resolve(real, memory.database);
  if ((await isDatabase(database)) && !(await canReach(user, database))) {
    throw new StartError(
      `The system user postgres, which runs the database, cannot reach ${database}. Move the data folder to where it can, ` +
        'such as /var/lib, or start Baton as another user.',
    );
  }
  const release = isAbsolute(memory.database) ? await claimOutside(real, database) : (): void => undefined;
  return { binaries, user, memory, database, notes, release };
}

/** The user that runs Postgres must be able to pass through our folder; secret files in it have a mode of their own. */
async function makePassable(folder: string, user: SystemUser | undefined): Promise<void> {
  await makeFolder(folder);
  if (user !== undefined) await chmod(folder, (await stat(folder)).mode | 0o011);
}

async function makeElsewhere(): Promise<void> {
  await mkdir(elsewhere, { recursive: true });
  await chmod(elsewhere, 0o711);
}

/** Rejects with `StartError` where the file holds something else. */
export async function recall(folder: string): Promise<PostgresMemory | undefined> {
  const file = join(folder, memoryFile);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    const memory = JSON.parse(text) as PostgresMemory;
    return { ...memory, database: await placeIn(folder, memory.database) };
  } catch (cause) {
    throw new StartError(
      `${file} does not hold the place and the password of the embedded Postgres. Restore it; where the folder has no ` +
        'database yet, remove it.',
      { cause },
    );
  }
}

/**
 * A Baton before 2026-11-27 wrote where the folder was then. What is in the folder counts: a copy that went to the old
 * place would take the database of the original.
 */
async function placeIn(folder: string, written: string): Promise<string> {
  if (!isAbsolute(written)) return written;
  const isHere = await isDatabase(join(folder, inside));
  return isHere || !(await isDatabase(written)) ? inside : written;
}

const isDatabase = (path: string): Promise<boolean> =>
  access(join(path, 'PG_VERSION')).then(
    () => true,
    () => false,
  );

export const urlOf = ({ password }: PostgresMemory, port: number): string =>
  `postgresql://${postgresRole}:${password}@127.0.0.1:${port}/postgres`;

/** Where the disk is full, what was remembered before stays: no other file has the password. */
export async function remember(folder: string, memory: PostgresMemory): Promise<void> {
  const text = `${JSON.stringify(memory, undefined, 2)}\n`;
  await replaceFile(join(folder, memoryFile), text).catch(cannotWrite(folder));
}

async function choose(folder: string, user: SystemUser | undefined, notes: string[]): Promise<PostgresMemory> {
  let database = inside;
  if (!(await canReach(user, await realpath(folder)))) {
    await makeElsewhere();
    database = join(elsewhere, randomUUID());
    notes.push(`The system user postgres cannot reach ${folder}; the database is kept in ${database}.`);
  }
  const memory = { database, password: randomBytes(24).toString('base64url') };
  await remember(folder, memory);
  return memory;
}
