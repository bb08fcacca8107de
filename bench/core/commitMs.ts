/** What the disk takes for a commit: nothing that waits for it can be faster. */
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** As much as Postgres writes for a small commit. */
const page = Buffer.alloc(8_192);
const commits = 300;

export interface CommitTimes {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

/** Milliseconds of `fdatasync` for a page at the end of a file in this folder. */
export function commitMs(folder: string): CommitTimes {
  const path = join(folder, 'commits');
  const file = openSync(path, 'w');
  try {
    const times = Array.from({ length: commits }, () => {
      const startedAt = performance.now();
      writeSync(file, page);
      fdatasyncSync(file);
      return performance.now() - startedAt;
    });
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number): number => Number((sorted[Math.floor(commits * share)] ?? Number.NaN).toFixed(2));
    return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
  } finally {
    closeSync(file);
    rmSync(path);
  }
}
