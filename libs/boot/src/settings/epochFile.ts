/**
 * Keeps epochs in a file: what was last seen in each database, where a restore of the database does not reach it.
 * Implements `EpochPlace` of libs/store.
 */
import { readFile } from 'node:fs/promises';

import { isObject } from '@baton/primitives';

import { replaceFile } from '../failure/replaceFile.ts';
import { StartError } from '../failure/startError.ts';

export interface EpochFile {
  readonly name: string;
  read(installation: string): Promise<string | undefined>;
  write(installation: string, text: string): Promise<void>;
}

/** A data folder may serve several databases: the file has an epoch for each installation. */
export function epochFile(file: string): EpochFile {
  return {
    name: file,
    read: async (installation) => textIn(await readEpochs(file), installation),
    async write(installation, epoch) {
      const epochs = await readEpochs(file);
      const text = `${JSON.stringify({ ...epochs, [installation]: JSON.parse(epoch) as unknown })}\n`;
      // Not flushed: it is written each second, and one that is some seconds old serves too.
      await replaceFile(file, text, { flush: false });
    },
  };
}

function textIn(epochs: Readonly<Record<string, unknown>>, installation: string): string | undefined {
  const epoch = Object.hasOwn(epochs, installation) ? epochs[installation] : undefined;
  return epoch === undefined ? undefined : JSON.stringify(epoch);
}

/** Rejects with `StartError` where it is there and cannot be read. */
async function readEpochs(file: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return '';
    throw new StartError(`${file} cannot be read (${cause.code}). Let this account read it.`, { cause });
  });
  // The machine may have stopped as it was written.
  if (text.trim() === '') return {};
  const epochs = jsonIn(text);
  if (isObject(epochs)) return epochs;
  throw new StartError(
    `${file} does not hold what Baton wrote there: restore it, or remove it where the database was not restored`,
  );
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
