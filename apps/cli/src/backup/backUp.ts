/** `baton backup` and `baton restore`: of the embedded Postgres, running or not, or of `DATABASE_URL`. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';

import { RestoreError, restoreBackup, writeBackup } from '@baton/store';

import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { whyOf } from '../output/fileFault.ts';
import { plural } from '../output/text.ts';
import { openDatabase } from '../stack/openDatabase.ts';

export interface BackupOptions {
  readonly file: string;
  readonly data?: string | undefined;
}

/** Rejects with `CommandError`. */
export async function backUp(context: Context, { file, data }: BackupOptions): Promise<void> {
  const { stderr } = context;
  const handle = await newFile(file);
  const place = await openDatabase(context, data, 'may run').catch(async (error: unknown) => {
    await handle.close();
    await rm(file, { force: true });
    throw error;
  });
  try {
    const { rows } = await writeBackup(place.url, handle.createWriteStream(), new Date()).catch(
      async (error: unknown) => {
        await rm(file, { force: true });
        throw unusable(error, `The backup cannot be written to ${file}`);
      },
    );
    stderr.line(`${stderr.paint.green('✓')} ${file}: ${summary(rows)}.`);
    stderr.line(`Keep ${place.key} apart from it: without that key no secret in the backup can be read.`);
  } finally {
    await place.close();
  }
}

/** Opens a new file; never overwrites an existing one. */
async function newFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'wx', 0o600);
  } catch (error) {
    throw unusable(error, `The backup cannot be written to ${file}`);
  }
}

/** Rejects with `CommandError`. */
export async function restore(context: Context, { file, data }: BackupOptions): Promise<void> {
  const { stderr } = context;
  const place = await openDatabase(context, data, 'must not run');
  try {
    const { madeAt, rows } = await restoreBackup(place.url, createReadStream(file), new Date()).catch(
      (error: unknown) => {
        throw unusable(error, `${file} cannot be restored`);
      },
    );
    stderr.line(`${stderr.paint.green('✓')} Restored as of ${madeAt}: ${summary(rows)}.`);
    stderr.line(
      `Next: put the secret key of the backup into ${place.key}, start Baton, then \`baton audit verify\` and \`baton fence show\`.`,
    );
    stderr.line('Calls that were made since are not in it, so no run goes on until `baton fence lift`.');
    stderr.line('API keys are those of the backup. If you have none of them, start once with a new BATON_ADMIN_KEY.');
  } finally {
    await place.close();
  }
}

export function summary(rows: ReadonlyMap<string, number>): string {
  const count = (table: string, noun: string): string => plural(rows.get(table) ?? 0, noun);
  return `${count('run', 'run')} with ${count('run_event', 'event')}, ${count('workflow_version', 'version')} of workflows`;
}

export function unusable(error: unknown, what: string): unknown {
  if (error instanceof RestoreError) return new CommandError(exitCodes.conflict, error.message, { cause: error });
  const { code } = error as NodeJS.ErrnoException;
  // Errors of the system, of zlib and of Postgres have a code.
  return code === undefined ? error : new CommandError(exitCodes.usage, `${what}: ${whyOf(error)}.`, { cause: error });
}
