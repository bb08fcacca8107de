/**
 * Reads other processes from /proc. Without /proc no process is known, and an operator must find what a crashed process
 * left behind.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

function read(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * When the process began, in clock ticks since the machine did: together with the pid it names one process for ever.
 * Undefined where there is none, or only a zombie.
 */
export function startTimeOf(pid: number): string | undefined {
  const stat = read(pid, 'stat');
  if (stat === undefined) return undefined;
  // The second field is the command's name in parentheses, which may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  // A zombie still answers.
  return process.platform !== 'linux' || startTimeOf(pid) !== undefined;
}

export function workingFolderOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

/** One variable of the environment that a process was started with. */
export function variableOf(pid: number, name: string): string | undefined {
  return read(pid, 'environ')
    ?.split('\0')
    .find((entry) => entry.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}

export function allPids(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

/** Sends each signal in turn, and gives the process that long to go. True when it is gone. */
export async function stopProcess(
  pid: number,
  signals: readonly { readonly signal: NodeJS.Signals; readonly waitMs: number }[],
): Promise<boolean> {
  for (const { signal, waitMs } of signals) {
    try {
      process.kill(pid, signal);
    } catch {
      return !isAlive(pid);
    }
    const deadline = performance.now() + waitMs;
    while (isAlive(pid) && performance.now() < deadline) await sleep(20);
    if (!isAlive(pid)) return true;
  }
  return false;
}
