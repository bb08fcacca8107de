/** CPU time of processes, from /proc: none where the system has no such thing. */
import { readdirSync, readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';

const ticksPerSecond = 100;

interface Stat {
  readonly parent: number;
  readonly ownMs: number;
  /** Of children that have ended and been waited for. */
  readonly goneMs: number;
}

function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const ms = (...at: number[]): number =>
      (at.reduce((sum, one) => sum + (fields[one] ?? 0), 0) * 1_000) / ticksPerSecond;
    return { parent: fields[1] ?? 0, ownMs: ms(11, 12), goneMs: ms(13, 14) };
  } catch {
    return undefined;
  }
}

function treeOf(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    if (stat === undefined) continue;
    children.set(stat.parent, [...(children.get(stat.parent) ?? []), Number(name)]);
  }
  const all = [root];
  for (const one of all) all.push(...(children.get(one) ?? []));
  return all;
}

/** Milliseconds so far: of `pids` alone, of `trees` with all that they started. */
export function cpuMs({
  pids,
  trees,
}: {
  readonly pids: readonly number[];
  readonly trees: readonly number[];
}): number {
  const own = pids.reduce((sum, pid) => sum + (statOf(pid)?.ownMs ?? Number.NaN), 0);
  const all = trees.flatMap(treeOf).reduce((sum, pid) => {
    const stat = statOf(pid);
    return sum + (stat === undefined ? 0 : stat.ownMs + stat.goneMs);
  }, 0);
  return own + all;
}

/** Memory that the process has in use. */
export function residentBytes(pid: number): number {
  const [, kib = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}

export function machine(): Readonly<Record<string, unknown>> {
  const [first] = cpus();
  return {
    processors: cpus().length,
    model: first?.model ?? 'unknown',
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    loadAtStart: Number((loadavg()[0] ?? 0).toFixed(2)),
    at: new Date().toISOString(),
  };
}
