/**
 * A lock that the kernel gives to one process and takes back when the process ends: SQLite's, since Node itself has none.
 * It is on the file, which may have another name in each container; containers share no names of sockets, and no numbers
 * of processes.
 */
import type * as Sqlite from 'node:sqlite';

export interface FileLock {
  release(): void;
}

/** SQLITE_BUSY: another process has it, or the file system gives no locks. */
const busy = 5;

/** Makes the file, which stays empty. Undefined where another process has the lock. Throws where the file cannot be opened. */
export function lockFile(path: string): FileLock | undefined {
  const { DatabaseSync } = sqlite();
  const file = new DatabaseSync(path);
  try {
    file.exec('begin exclusive');
  } catch (error) {
    file.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === busy) return undefined;
    throw error;
  }
  const release = (): void => {
    process.removeListener('exit', release);
    if (file.isOpen) file.close();
  };
  // An open file that nothing refers to is closed with the garbage, and its lock is free.
  process.on('exit', release);
  return { release };
}

/** Node before 24.15 warns each process that the module may change. */
function sqlite(): typeof Sqlite {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}
