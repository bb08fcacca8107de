/** Says why a file cannot be used, without the words of the system call. */
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

/** Undefined for an error that does not come from the file system. */
export function fileFault(error: unknown): FileFault | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', path } = error as NodeJS.ErrnoException;
  const why = Object.hasOwn(reasons, code) ? reasons[code] : undefined;
  return why === undefined || path === undefined ? undefined : { path, why };
}

export const whyOf = (error: unknown): string =>
  fileFault(error)?.why ?? (error instanceof Error ? error.message : String(error));
