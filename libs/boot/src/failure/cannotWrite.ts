import { exitCodes, StartError } from './startError.ts';

const isFull = new Set(['ENOSPC', 'EDQUOT']);

/**
 * For the `catch` around what reads and writes the data folder. Throws a `StartError` if the file system refuses, and the
 * error itself otherwise.
 */
export function cannotWrite(folder: string): (error: unknown) => never {
  return (error) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!/^E(?!RR_)/.test(code)) throw error;
    const advice = isFull.has(code)
      ? 'Its disk is full: make room there, or set BATON_DATA to a folder on another disk.'
      : 'Set BATON_DATA to a folder in which this account may write.';
    throw new StartError(`The data folder ${folder} cannot be written to (${code}). ${advice}`, {
      cause: error,
      exitCode: isFull.has(code) ? exitCodes.unavailable : exitCodes.misused,
    });
  };
}
