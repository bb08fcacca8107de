/** What the orchestrator counts and times, besides its sessions with servers. By route, never by address. */
import type { Metrics } from '@baton/boot';

import type { Remedy } from '../reconcile/reconciler.ts';
import type { Removable } from '../retention/retention.ts';

export interface Gauges {
  /** Readers of live events. */
  readonly readers: () => number;
  /** Runs that somebody waits for. */
  readonly watched: () => number;
}

export type Figures = ReturnType<typeof figuresIn>;

export function figuresIn(metrics: Metrics, { readers, watched }: Gauges) {
  const request = metrics.seconds({
    name: 'baton_http_request_seconds',
    help: 'Time from a request to the end of its answer.',
    labels: ['route', 'method', 'status'],
  });
  const requested = metrics.counter({
    name: 'baton_runs_requested_total',
    help: 'Runs asked for: new ones, and those that had been asked for before.',
    labels: ['kind'],
  });
  const bellFailed = metrics.counter({
    name: 'baton_bells_failed_total',
    help: 'Bells that the queue did not take; the reconciler rings again.',
  });
  const remedied = metrics.counter({
    name: 'baton_reconciler_runs_total',
    help: 'Runs that the reconciler did something for.',
    labels: ['remedy'],
  });
  const removed = metrics.counter({
    name: 'baton_retention_removed_total',
    help: 'What was removed because it had been kept for long enough.',
    labels: ['what'],
  });
  metrics.gauge({ name: 'baton_event_readers', help: 'Readers of live events.' }, () => [[{}, readers()]]);
  metrics.gauge({ name: 'baton_watched_runs', help: 'Runs whose journals somebody follows or waits for.' }, () => [
    [{}, watched()],
  ]);
  return {
    answered: (route: string, method: string, status: number, ms: number): void =>
      request({ route, method, status: `${Math.floor(status / 100)}xx` }, ms),
    started: (isNew: boolean): void => requested({ kind: isNew ? 'new' : 'repeated' }),
    bellFailed: (): void => bellFailed({}),
    remedied: (remedy: Remedy, runs: number): void => remedied({ remedy }, runs),
    removed: (what: Removable, count: number): void => removed({ what }, count),
  };
}
