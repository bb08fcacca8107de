/** What waits in the database: every process that accepts runs says the same. Counted at most every few seconds. */
import type { Metrics } from '@baton/boot';
import type { Retention } from '@baton/control';
import { UnavailableError } from '@baton/runner';
import { type Store, lastSealAt, queueCounts } from '@baton/store';

interface BacklogParts {
  readonly metrics: Metrics;
  readonly store: Store;
  /** Epoch milliseconds, and milliseconds that never go back. */
  readonly clock: { now(): number; monotonic(): number };
}

/** Counting stops there: an alert comes long before. */
const countedMax = 10_000;
const freshMs = { queue: 2_000, retention: 60_000 } as const;

export function backlogMetrics({ metrics, store, clock }: BacklogParts, retention: Pick<Retention, 'count'>): void {
  const counts = sharedFor(freshMs.queue, clock, () => queueCounts(store, countedMax));
  const removable = sharedFor(freshMs.retention, clock, () => retention.count());
  const waiting = 'Unfinished runs: queued, delayed, running, waiting. Counted up to 10,000 of a kind.';
  metrics.gauge('baton_queue_runs', waiting, ['kind'], () =>
    unlessAway(async () => {
      const { queued, delayed, running, waiting: held } = await counts();
      return Object.entries({ queued, delayed, running, waiting: held }).map(
        ([kind, runs]) => [{ kind }, runs] as const,
      );
    }),
  );
  metrics.gauge('baton_queue_oldest_seconds', 'How long the oldest queued run has waited for a worker.', [], () =>
    unlessAway(async () => {
      const { oldestAt } = await counts();
      return [[{}, oldestAt === undefined ? 0 : Math.max(0, clock.now() - oldestAt) / 1_000]];
    }),
  );
  metrics.gauge('baton_seal_age_seconds', 'How long ago finished runs were last sealed.', [], () =>
    unlessAway(async () => {
      const at = await lastSealAt(store);
      return at === undefined ? [] : [[{}, Math.max(0, clock.now() - at) / 1_000]];
    }),
  );
  metrics.gauge(
    'baton_retention_removable',
    'What retention has still to remove. Counted up to 100,000.',
    ['what'],
    () => unlessAway(async () => Object.entries(await removable()).map(([what, count]) => [{ what }, count] as const)),
  );
}

/** Calls within this time share a result. */
function sharedFor<Result>(
  ms: number,
  clock: Pick<BacklogParts['clock'], 'monotonic'>,
  load: () => Promise<Result>,
): () => Promise<Result> {
  let last: { readonly at: number; readonly result: Promise<Result> } | undefined;
  return () => {
    const now = clock.monotonic();
    if (last === undefined || now - last.at > ms) last = { at: now, result: load() };
    return last.result;
  };
}

async function unlessAway<Reading>(read: () => Promise<Reading[]>): Promise<Reading[]> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UnavailableError) return [];
    throw error;
  }
}
