/**
 * What is counted and timed, for Prometheus. Labels have few values each: routes, never addresses; no run, no workflow,
 * no key.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import type { Remedy } from '../reconcile/reconciler.ts';
import type { Removable } from '../retention/retention.ts';

export interface Gauges {
  /** Readers of live events. */
  readonly readers: () => number;
  /** Runs that somebody waits for. */
  readonly watched: () => number;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Histogram<'route' | 'method' | 'status'>;
  readonly #started: Counter<'kind'>;
  readonly #bellsFailed: Counter;
  readonly #remedies: Counter<'remedy'>;
  readonly #removed: Counter<'what'>;

  constructor(gauges: Gauges) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Histogram({
      name: 'baton_http_request_seconds',
      help: 'Time from a request to the end of its answer.',
      labelNames: ['route', 'method', 'status'],
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
      registers,
    });
    this.#started = new Counter({
      name: 'baton_runs_requested_total',
      help: 'Runs asked for: new ones, and those that had been asked for before.',
      labelNames: ['kind'],
      registers,
    });
    this.#bellsFailed = new Counter({
      name: 'baton_bells_failed_total',
      help: 'Bells that the queue did not take; the reconciler rings again.',
      registers,
    });
    this.#remedies = new Counter({
      name: 'baton_reconciler_runs_total',
      help: 'Runs that the reconciler did something for.',
      labelNames: ['remedy'],
      registers,
    });
    this.#removed = new Counter({
      name: 'baton_retention_removed_total',
      help: 'What was removed because it had been kept for long enough.',
      labelNames: ['what'],
      registers,
    });
    gauge('baton_event_readers', 'Readers of live events.', gauges.readers, registers);
    gauge('baton_watched_runs', 'Runs whose journals somebody follows or waits for.', gauges.watched, registers);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** In the text format of Prometheus. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  answered(route: string, method: string, status: number, ms: number): void {
    this.#requests.observe({ route, method, status: `${Math.floor(status / 100)}xx` }, ms / 1_000);
  }

  started(isNew: boolean): void {
    this.#started.inc({ kind: isNew ? 'new' : 'repeated' });
  }

  bellFailed(): void {
    this.#bellsFailed.inc();
  }

  remedied(remedy: Remedy, runs: number): void {
    this.#remedies.inc({ remedy }, runs);
  }

  removed(what: Removable, count: number): void {
    this.#removed.inc({ what }, count);
  }
}

function gauge(name: string, help: string, value: () => number, registers: Registry[]): void {
  const made: Gauge = new Gauge({ name, help, registers, collect: () => made.set(value()) });
}
