/**
 * Finds the program that makes the kernel kill a server when this process dies in any way: `setpriv --pdeathsig KILL`
 * of util-linux. It covers the direct child. A mark in the environment finds the children of that child later.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { findExecutable } from './executable.ts';

const run = promisify(execFile);

/** The words to put before a command; empty if `setpriv` is missing or does not support `--pdeathsig`. */
export async function findGuard(searchPath: string | undefined): Promise<readonly string[]> {
  if (process.platform !== 'linux') return [];
  const setpriv = await findExecutable('setpriv', `${searchPath ?? ''}:/usr/bin:/bin`, '/');
  if (setpriv === undefined) return [];
  const guard = [setpriv, '--pdeathsig', 'KILL', '--'];
  try {
    // Tries it on `setpriv` itself, which exists and ends at once.
    await run(setpriv, [...guard.slice(1), setpriv, '--version']);
    return guard;
  } catch {
    return [];
  }
}
