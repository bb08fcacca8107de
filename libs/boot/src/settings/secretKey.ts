/** The installation's key for secrets at rest: the operator's, or one that Baton generates once and keeps in a file. */
import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { cannotWrite } from '../failure/cannotWrite.ts';
import { makeFolder } from '../failure/makeFolder.ts';
import { StartError } from '../failure/startError.ts';

const keyBytes = 32;

/**
 * 32 bytes. Processes that start at once on the same folder agree on one. Rejects with `StartError` where the folder
 * cannot be written to, and where the file holds something else: a new key in its place would make all that is stored
 * unreadable.
 */
export async function readSecretKey({
  given,
  dataFolder,
}: {
  readonly given: Buffer | undefined;
  readonly dataFolder: string;
}): Promise<Buffer> {
  if (given !== undefined) return given;
  const file = join(dataFolder, 'secret-key');
  const kept = await readKept(file).catch(cannotWrite(dataFolder));
  return kept ?? (await keepNew(file, dataFolder).catch(cannotWrite(dataFolder)));
}

async function keepNew(file: string, dataFolder: string): Promise<Buffer> {
  await makeFolder(dataFolder);
  const fresh = `${file}.${randomUUID()}.new`;
  try {
    await writeFile(fresh, `${randomBytes(keyBytes).toString('base64')}\n`, { mode: 0o600 });
    // A link never shows a partly written file, and never replaces an existing one.
    await link(fresh, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(fresh, { force: true });
  }
  const agreed = await readKept(file);
  if (agreed === undefined) throw new Error(`the secret key could not be kept in ${file}`);
  return agreed;
}

async function readKept(file: string): Promise<Buffer | undefined> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    // The folder is none.
    if (cause.code === 'ENOTDIR') throw cause;
    throw new StartError(`The secret key in ${file} cannot be read (${cause.code}). Let this account read it.`, {
      cause,
    });
  });
  if (text === undefined) return undefined;
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length === keyBytes) return key;
  throw new StartError(`${file} does not hold ${keyBytes} bytes in base64: restore it, or every stored secret is lost`);
}
