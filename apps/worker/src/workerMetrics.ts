/** Metrics of a worker, except those of its sessions with servers. Labels are kinds and codes, never runs or workflows. */
import type { Metrics } from '@baton/boot';
import type { RunEvent } from '@baton/engine';

import type { StartedWorker } from './worker.ts';

export interface WorkerMetrics {
  /** Counts events that have become durable. */
  countEvents(events: readonly RunEvent[]): void;
  watch(worker: StartedWorker, concurrency: number): void;
}

export function workerMetrics(metrics: Metrics): WorkerMetrics {
  const event = metrics.counter({
    name: 'baton_worker_events_total',
    help: 'Events of the runs that this worker drives, by type.',
    labels: ['type'],
  });
  const ended = metrics.counter({
    name: 'baton_worker_runs_finished_total',
    help: 'Runs that ended at this worker.',
    labels: ['status'],
  });
  const failed = metrics.counter({
    name: 'baton_worker_failures_total',
    help: 'Failed attempts of steps, by failure code.',
    labels: ['code'],
  });
  return {
    countEvents(events) {
      for (const one of events) {
        event({ type: one.type });
        if (one.type === 'run.finished') ended({ status: one.status });
        if (one.type === 'step.failed' || one.type === 'step.retrying' || one.type === 'step.unknown') {
          failed({ code: one.failure.code });
        }
      }
    },
    watch(worker, concurrency) {
      const gauge = (name: string, help: string, read: () => number): void =>
        metrics.gauge({ name, help }, () => [[{}, read()]]);
      gauge('baton_worker_runs', 'Runs that this worker drives.', () => worker.runs());
      gauge('baton_worker_concurrency', 'Most runs that this worker drives at the same time.', () => concurrency);
      gauge('baton_worker_may_call', '0 while the heartbeat is late: the worker makes no calls.', () =>
        worker.state() === 'late' ? 0 : 1,
      );
    },
  };
}
