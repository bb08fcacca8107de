/**
 * Finds and ends processes that outlived their owner. Each process that a worker starts has its owner's name in its
 * environment, and so do its children. A process with the name of a dead owner is an orphan. On Linux only.
 */
import { allPids, startTimeOf, stopProcess, variableOf } from './processTable.ts';

/** In the environment of every process that is started for us. */
export const markVariable = 'BATON_MARK';

/**
 * Names this process, among all that ever were on this machine, as the owner. `installation`: the data folder, or an
 * id.
 */
export function ownerMark(installation: string): string {
  return `${installation}:${process.pid}:${startTimeOf(process.pid) ?? ''}`;
}

export interface Orphan {
  readonly pid: number;
  /** Of the owner that is dead. */
  readonly ownerPid: number;
}

export function findOrphans(installation: string): readonly Orphan[] {
  return allPids().flatMap((pid) => {
    const mark = variableOf(pid, markVariable);
    if (mark?.startsWith(`${installation}:`) !== true) return [];
    const [, owner, startTime] = /^:(\d+):(\d+)$/.exec(mark.slice(installation.length)) ?? [];
    if (owner === undefined || startTimeOf(Number(owner)) === startTime) return [];
    return [{ pid, ownerPid: Number(owner) }];
  });
}

/** Asks them to end, and kills them after two seconds. Resolves to the processes. */
export async function sweepOrphans(installation: string): Promise<readonly Orphan[]> {
  const orphans = findOrphans(installation);
  await Promise.all(
    orphans.map(({ pid }) =>
      stopProcess(pid, [
        { signal: 'SIGTERM', waitMs: 2_000 },
        { signal: 'SIGKILL', waitMs: 2_000 },
      ]),
    ),
  );
  return orphans;
}
