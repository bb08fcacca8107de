/** Metrics of a worker, except those of its sessions with servers. Labels are kinds, codes and deployed workflows, never runs. */
import type { Metrics } from '@baton/boot';
import { type Failure, type Run, type RunEvent, type Usage, notVerified } from '@baton/engine';

import type { StartedWorker } from './worker.ts';
import { workflowCounter } from './workflowCounter.ts';

export interface WorkerMetrics {
  /** Counts events that have become durable. */
  countEvents(run: Pick<Run, 'workflow' | 'version'>, events: readonly RunEvent[]): void;
  /** Counts what an answer of a configured model cost. */
  countUsage(usage: Usage): void;
  watch(worker: StartedWorker, concurrency: number): void;
}

export function workerMetrics(metrics: Metrics): WorkerMetrics {
  const event = metrics.counter('baton_worker_events_total', 'Events of the runs that this worker drives, by type.', [
    'type',
  ]);
  const ended = metrics.counter('baton_worker_runs_finished_total', 'Runs that ended at this worker.', ['status']);
  const endedOf = workflowCounter(
    metrics.counter('baton_workflow_runs_finished_total', 'Runs that ended at this worker, by deployed workflow.', [
      'workflow',
      'status',
    ]),
  );
  const failed = metrics.counter('baton_worker_failures_total', 'Failed attempts of steps, by failure code.', ['code']);
  const notEnsured = metrics.counter(
    'baton_worker_runs_not_ensured_total',
    'Runs that failed because what they must ensure was not true (`not-achieved`) or not readable (`not-verified`).',
    ['code'],
  );
  const tokens = metrics.counter('baton_model_tokens_total', 'Tokens of answers of models.', ['model', 'kind']);
  const usd = metrics.counter('baton_model_usd_total', 'US dollars, of models that have a price in mcp.json.', [
    'model',
  ]);
  return {
    countUsage({ model = '', inputTokens = 0, outputTokens = 0, usd: price = 0 }) {
      tokens({ model, kind: 'input' }, inputTokens);
      tokens({ model, kind: 'output' }, outputTokens);
      usd({ model }, price);
    },
    countEvents({ workflow, version }, events) {
      for (const one of events) {
        event({ type: one.type });
        if (one.type === 'run.finished') {
          ended({ status: one.status });
          endedOf({ workflow, status: one.status, isDeployed: version !== undefined });
          if (one.status === 'failed' && isNotEnsured(one.failure)) notEnsured({ code: one.failure.code });
        }
        if (one.type === 'step.failed' || one.type === 'step.retrying' || one.type === 'step.unknown') {
          failed({ code: one.failure.code });
        }
      }
    },
    watch(worker, concurrency) {
      const gauge = (name: string, help: string, read: () => number): void =>
        metrics.gauge(name, help, [], () => [[{}, read()]]);
      gauge('baton_worker_runs', 'Runs that this worker drives.', () => worker.runs());
      gauge('baton_worker_concurrency', 'Most runs that this worker drives at the same time.', () => concurrency);
      gauge('baton_worker_may_call', '0 while the heartbeat is late: the worker makes no calls.', () =>
        worker.state() === 'late' ? 0 : 1,
      );
    },
  };
}

const isNotEnsured = ({ code }: Failure): boolean => code === 'not-achieved' || code === notVerified;
