/** Says why a file cannot be used, without the words of the system call. */
import { isAbsolute, resolve, sep } from 'node:path';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'this account has no permission',
  EPERM: 'this account has no permission',
  EEXIST: 'it is there already',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

export interface FileFault {
  readonly path: string;
  readonly why: string;
}

/** Undefined for an error that does not come from a file of the user. */
export function fileFault(error: unknown): FileFault | undefined {
  if (!(error instanceof Error)) return undefined;
  const { path, syscall = '' } = error as NodeJS.ErrnoException;
  const why = reasonOf(error);
  if (why === undefined || path === undefined) return undefined;
  // Of these calls the codes mean something else: no more watches, and no such program.
  if (syscall === 'watch' || syscall.startsWith('spawn')) return undefined;
  return isOurs(path) ? undefined : { path, why };
}

const ownFolder = resolve(import.meta.dirname, '..') + sep;

/** A file of Baton itself that is missing is a bug, or a broken installation. */
const isOurs = (path: string): boolean =>
  isAbsolute(path) && (path.startsWith(ownFolder) || path.includes(`${sep}node_modules${sep}`));

function reasonOf(error: Error): string | undefined {
  const { code = '' } = error as NodeJS.ErrnoException;
  return Object.hasOwn(reasons, code) ? reasons[code] : undefined;
}

/** Reading a folder as a file gives an error without its path. */
export const whyOf = (error: unknown): string =>
  error instanceof Error ? (reasonOf(error) ?? error.message) : String(error);
