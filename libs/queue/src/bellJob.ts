/** The content of a job of the queue: ids of runs that can continue, and nothing else. */
import { isUuid } from '@baton/primitives';
import type { Ring } from '@baton/runner';
import type { BulkJobOptions } from 'bullmq';

export interface BellJob {
  readonly name: string;
  readonly data: { readonly runs: readonly string[] };
  readonly opts: BulkJobOptions;
}

/**
 * Maximum number of runs in one job. A job costs far more than the ids in it, and two jobs added at once make BullMQ
 * create temporary tables in Postgres, which takes 4 ms. But all runs of a job go to one worker, so the number is small.
 */
export const runsMax = 32;
/** A job of a later release may have more. */
const readableMax = 256;
/** BullMQ throws for a priority of 2 ** 21. `firstPriority` is added to this one. */
const priorityMax = 2 ** 21 - 2;

/** The jobs for these rings, in their order; a ring with a delay gets a job of its own. */
export function jobsOf(rings: readonly Ring[], nextId: () => string): BellJob[] {
  const prompt = rings.filter(({ delayMs = 0 }) => delayMs <= 0);
  const late = rings.filter(({ delayMs = 0 }) => delayMs > 0);
  const jobs: BellJob[] = [];
  for (const [priority, some] of Map.groupBy(prompt, priorityOf)) {
    for (let from = 0; from < some.length; from += runsMax) {
      jobs.push(jobOf(some.slice(from, from + runsMax), nextId(), { priority }));
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

/** Smaller is sooner; a ring without a priority has 0 and comes before all others. */
const priorityOf = ({ priority = 0 }: Ring): number => Math.min(Math.max(Math.ceil(priority), 0), priorityMax);

/** The run ids in a job's data. Anyone with access to the queue may have written or emptied it. */
export function runsOf(data: unknown): readonly string[] | undefined {
  if (typeof data !== 'object' || data === null || !('runs' in data)) return undefined;
  const { runs } = data;
  return Array.isArray(runs) && runs.length > 0 && runs.length <= readableMax && runs.every(isUuid) ? runs : undefined;
}
