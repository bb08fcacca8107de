/** Metrics of the orchestrator, besides those of its sessions with servers. By route, never by address. */
import type { Metrics } from '@baton/boot';
import type { CallbackOutcome, ReconcilerRemedy, RemovableKind } from '@baton/control';
import { UnavailableError } from '@baton/runner';
import type { FiringCause, FiringOutcome } from '@baton/store';

export interface HttpGauges {
  /** Readers of live events. */
  readonly readers: () => number;
  /** Runs for which a client waits. */
  readonly watched: () => number;
  /** Open questions of all orchestrators. Rejects with `UnavailableError`. */
  readonly questions: () => Promise<number>;
}

export type HttpMetrics = ReturnType<typeof httpMetricsIn>;

export function httpMetricsIn(metrics: Metrics, { readers, watched, questions }: HttpGauges) {
  const request = metrics.seconds({
    name: 'baton_http_request_seconds',
    help: 'Time from a request to the end of its answer.',
    labels: ['route', 'method', 'status'],
  });
  const requested = metrics.counter({
    name: 'baton_runs_requested_total',
    help: 'Requests for runs: new runs, and repeated requests.',
    labels: ['kind'],
  });
  const bellFailed = metrics.counter({
    name: 'baton_queue_notifications_failed_total',
    help: 'Notifications that the queue refused; the reconciler sends them again.',
  });
  const remedied = metrics.counter({
    name: 'baton_reconciler_runs_total',
    help: 'Runs that the reconciler woke, by remedy.',
    labels: ['remedy'],
  });
  const removed = metrics.counter({
    name: 'baton_retention_removed_total',
    help: 'What retention removed.',
    labels: ['what'],
  });
  const cut = metrics.counter({
    name: 'baton_event_readers_cut_total',
    help: 'Readers of live events that were cut off for being slow.',
  });
  const { fired, late, passedOver } = scheduleMetrics(metrics);
  const hook = metrics.counter({
    name: 'baton_webhooks_total',
    help: 'Webhooks received, by outcome, or by the reason for the refusal.',
    labels: ['result'],
  });
  const callback = metrics.counter({
    name: 'baton_callbacks_total',
    help: 'Attempts to deliver callbacks.',
    labels: ['outcome'],
  });
  metrics.gauge({ name: 'baton_questions_open', help: 'Unanswered questions of all runs.' }, async () =>
    questions().then((open) => [[{}, open]], unlessAway),
  );
  metrics.gauge({ name: 'baton_event_readers', help: 'Readers of live events, and MCP clients that listen.' }, () => [
    [{}, readers()],
  ]);
  metrics.gauge({ name: 'baton_watched_runs', help: 'Runs that a client follows or waits for.' }, () => [
    [{}, watched()],
  ]);
  return {
    answered: (route: string, method: string, status: number, ms: number): void =>
      request({ route, method, status: `${Math.floor(status / 100)}xx` }, ms),
    started: (isNew: boolean): void => requested({ kind: isNew ? 'new' : 'repeated' }),
    bellFailed: (): void => bellFailed({}),
    remedied: (remedy: ReconcilerRemedy, runs: number): void => remedied({ remedy }, runs),
    cut: (): void => cut({}),
    fired: (cause: FiringCause, outcome: FiringOutcome['outcome'], lateMs: number): void => {
      fired({ cause, outcome });
      if (outcome === 'started' && cause !== 'backfill') late({}, lateMs);
    },
    passedOver: (): void => passedOver({}),
    /** `result`: `started`, `repeated`, `ignored`, or the name of a problem. */
    hook: (result: string): void => hook({ result }),
    callback: (outcome: CallbackOutcome): void => callback({ outcome }),
    removed: (what: RemovableKind, count: number): void => removed({ what }, count),
  };
}

const scheduleMetrics = (metrics: Metrics) => ({
  fired: metrics.counter({
    name: 'baton_schedule_firings_total',
    help: 'Instants of schedules, by outcome. `late`: missed, and started later.',
    labels: ['cause', 'outcome'],
  }),
  passedOver: metrics.counter({
    name: 'baton_schedule_misfires_total',
    help: 'How often instants were missed and not started later, because of `catchUp`.',
  }),
  late: metrics.seconds({
    name: 'baton_schedule_lateness_seconds',
    help: 'Time from an instant to the start of its run.',
  }),
});

function unlessAway(error: unknown): [] {
  if (error instanceof UnavailableError) return [];
  throw error;
}
