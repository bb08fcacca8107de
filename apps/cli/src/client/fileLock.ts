/** One process at a time, by a lock that ends with its process. */
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { lockFile, makeFolder } from '@baton/boot';

import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';

const pauseMs = 50;
/** The requests under a lock have shorter limits. */
const waitMs = 60_000;

/** `file`: made if it is missing, with its folder; it stays. Rejects with what `act` rejects with, and with `CommandError`. */
export async function withLock<Result>(file: string, act: () => Promise<Result>): Promise<Result> {
  await makeFolder(dirname(file));
  const lock = await takenLock(file);
  try {
    return await act();
  } finally {
    lock.release();
  }
}

async function takenLock(file: string) {
  const until = performance.now() + waitMs;
  for (;;) {
    const lock = lockFile(file);
    if (lock !== undefined) return lock;
    if (performance.now() > until)
      throw new CommandError(exitCodes.timedOut, `Another process holds ${file}, or its file system gives no locks.`);
    await pause(pauseMs);
  }
}
