import { whyOf } from '../output/fileFault.ts';

/** Limits of the system. For a watch, their codes do not mean a full disk or too many files. */
const limits: Readonly<Record<string, string>> = {
  ENOSPC: 'this system allows no more watches (see fs.inotify.max_user_watches)',
  EMFILE: 'this system allows no more watchers (see fs.inotify.max_user_instances)',
};

/** A sentence that says why changes of a file or folder are not seen. */
export function notWatched(what: string, cause: unknown): string {
  const { code = '' } = cause as NodeJS.ErrnoException;
  return `${what} is not watched: ${limits[code] ?? whyOf(cause)}.`;
}
