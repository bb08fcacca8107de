/** What a job of the queue holds: runs that can go on, by their ids, and nothing else. */
import type { Ring } from '@baton/runner';
import type { BulkJobOptions } from 'bullmq';

import { isRunId } from './runId.ts';

export interface BellJob {
  readonly name: string;
  readonly data: { readonly runs: readonly string[] };
  readonly opts: BulkJobOptions;
}

/**
 * Runs in one job at the most. A job costs what three hundred bytes cost three times over; but all of its runs go to one
 * worker, and others are to have some too.
 */
const mostRuns = 16;
/** BullMQ's greatest; beyond it, it throws. */
const priorityMax = 2 ** 21 - 1;

/** In the order in which they were rung; those with a delay each by itself. */
export function jobsOf(rings: readonly Ring[], nextId: () => string): BellJob[] {
  const prompt = rings.filter(({ delayMs = 0 }) => delayMs <= 0);
  const late = rings.filter(({ delayMs = 0 }) => delayMs > 0);
  const jobs: BellJob[] = [];
  for (const [priority, some] of Map.groupBy(prompt, priorityOf)) {
    for (let from = 0; from < some.length; from += mostRuns) {
      jobs.push(jobOf(some.slice(from, from + mostRuns), nextId(), { priority }));
    }
  }
  for (const ring of late) jobs.push(jobOf([ring], nextId(), { priority: priorityOf(ring), delay: ring.delayMs ?? 0 }));
  return jobs;
}

function jobOf(rings: readonly Ring[], jobId: string, { priority = 0, delay = 0 }: BulkJobOptions): BellJob {
  return {
    name: 'bell',
    data: { runs: rings.map(({ runId }) => runId) },
    opts: {
      jobId,
      removeOnComplete: true,
      removeOnFail: true,
      ...(delay > 0 ? { delay: Math.ceil(delay) } : {}),
      ...(priority > 0 ? { priority } : {}),
    },
  };
}

/** Smaller is sooner; none, which is 0, before all others. */
const priorityOf = ({ priority = 0 }: Ring): number => Math.min(Math.max(Math.ceil(priority), 0), priorityMax);

/** The runs of a job's data, which anyone with access to the queue may have written, or emptied. */
export function runsOf(data: unknown): readonly string[] | undefined {
  if (typeof data !== 'object' || data === null || !('runs' in data)) return undefined;
  const { runs } = data;
  return Array.isArray(runs) && runs.length > 0 && runs.length <= mostRuns && runs.every(isRunId) ? runs : undefined;
}
