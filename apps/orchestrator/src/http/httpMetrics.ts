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
  const request = metrics.seconds('baton_http_request_seconds', 'Time from a request to the end of its answer.', [
    'route',
    'method',
    'status',
  ]);
  const requested = metrics.counter(
    'baton_runs_requested_total',
    'Requests for runs: new runs, and repeated requests.',
    ['kind'],
  );
  const bellFailed = metrics.counter(
    'baton_queue_notifications_failed_total',
    'Notifications that the queue refused; the reconciler sends them again.',
  );
  const remedied = metrics.counter('baton_reconciler_runs_total', 'Runs that the reconciler woke, by remedy.', [
    'remedy',
  ]);
  const removed = metrics.counter('baton_retention_removed_total', 'What retention removed.', ['what']);
  const cut = metrics.counter(
    'baton_event_readers_cut_total',
    'Readers of live events that were cut off for being slow.',
  );
  const { fired, late, passedOver } = scheduleMetrics(metrics);
  const hook = metrics.counter(
    'baton_webhooks_total',
    'Webhooks received, by outcome, or by the reason for the refusal.',
    ['result'],
  );
  const callback = metrics.counter('baton_callbacks_total', 'Attempts to deliver callbacks.', ['outcome']);
  metrics.gauge('baton_questions_open', 'Unanswered questions of all runs.', [], async () =>
    questions().then((open) => [[{}, open]], unlessAway),
  );
  metrics.gauge('baton_event_readers', 'Readers of live events, and MCP clients that listen.', [], () => [
    [{}, readers()],
  ]);
  metrics.gauge('baton_watched_runs', 'Runs that a client follows or waits for.', [], () => [[{}, watched()]]);
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
  fired: metrics.counter(
    'baton_schedule_firings_total',
    'Instants of schedules, by outcome. `late`: missed, and started later.',
    ['cause', 'outcome'],
  ),
  passedOver: metrics.counter(
    'baton_schedule_misfires_total',
    'How often instants were missed and not started later, because of `catchUp`.',
  ),
  late: metrics.seconds('baton_schedule_lateness_seconds', 'Time from an instant to the start of its run.'),
});

function unlessAway(error: unknown): [] {
  if (error instanceof UnavailableError) return [];
  throw error;
}
