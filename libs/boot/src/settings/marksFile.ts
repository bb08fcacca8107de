/**
 * Remembers, beside the secret key, since when the audit of a database has marks. Who owns the database cannot take that
 * away: a database that was emptied, or that another one replaced, is found out at the next start.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { isObject } from '@baton/primitives';

import { replaceFile } from '../failure/replaceFile.ts';
import { StartError } from '../failure/startError.ts';

/** Implements `MarksMemory` of libs/store. */
export interface MarksFile {
  readonly file: string;
  read(): Promise<MarksNote | undefined>;
  write(note: MarksNote): Promise<void>;
}

interface MarksNote {
  readonly entryHash: string;
  readonly at: string;
}

export interface MarksFileOptions {
  readonly dataFolder: string;
  readonly databaseUrl: string;
  /** Called where the file cannot be written: the process works all the same. */
  readonly onTrouble: (what: string, error: Error) => void;
}

/** A data folder may serve several databases; the file has a note for each. */
export function marksFile({ dataFolder, databaseUrl, onTrouble }: MarksFileOptions): MarksFile {
  const file = join(dataFolder, 'audit-marks.json');
  const place = placeOf(databaseUrl);
  return {
    file,
    read: async () => noteOf((await readNotes(file))[place]),
    write: async ({ entryHash, at }) => {
      const notes = await readNotes(file);
      if (noteOf(notes[place])?.entryHash === entryHash) return;
      const text = `${JSON.stringify({ ...notes, [place]: { entryHash, at } }, undefined, 2)}\n`;
      await replaceFile(file, text).catch((error: unknown) =>
        onTrouble(`${file} cannot be written: an emptied database would not be noticed`, error as Error),
      );
    },
  };
}

/** Where the database is, without the account and its password. */
function placeOf(databaseUrl: string): string {
  const { hostname, port, pathname, searchParams } = new URL(databaseUrl);
  const schema = searchParams.get('schema');
  const place = `${searchParams.get('host') ?? hostname}:${(searchParams.get('port') ?? port) || '5432'}${pathname}`;
  return schema === null ? place : `${place}/${schema}`;
}

const noteOf = (note: unknown): MarksNote | undefined =>
  isObject(note) && typeof note['entryHash'] === 'string' && typeof note['at'] === 'string'
    ? { entryHash: note['entryHash'], at: note['at'] }
    : undefined;

async function readNotes(file: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return '{}';
    throw new StartError(`${file} cannot be read (${cause.code}). Let this account read it.`, { cause });
  });
  const notes = jsonIn(text);
  if (isObject(notes)) return notes;
  throw new StartError(`${file} does not hold what Baton wrote there: restore it, or remove it and verify the audit`);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
