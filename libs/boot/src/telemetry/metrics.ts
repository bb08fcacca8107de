/**
 * The metrics of this process, for Prometheus. Labels have few values each: names that the operator wrote, kinds and
 * codes; no run, no key, nothing that a client can invent.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export type Labels<Name extends string> = Readonly<Record<Name, string>>;

type MetricReading<Name extends string> = Iterable<readonly [Labels<Name>, number]>;

/** From a millisecond to a minute: a call to a server may take either. */
const buckets = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60];

/** Long enough for the delay of the event loop to have been measured. */
const firstMeasureMs = 50;

export class Metrics {
  readonly #registry = new Registry();
  #ofProcess: Promise<void> | undefined;

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** In the text format of Prometheus, with those of the process itself: memory, event loop, garbage collection. */
  async text(): Promise<string> {
    this.#ofProcess ??= this.#measureProcess();
    await this.#ofProcess;
    return this.#registry.metrics();
  }

  /**
   * From the first reading on, and not from the start: to measure the event loop, Node wakes the process a hundred times
   * a second, which is half of what an idle worker costs.
   */
  async #measureProcess(): Promise<void> {
    collectDefaultMetrics({ register: this.#registry });
    await sleep(firstMeasureMs);
  }

  /** Returns what adds to it. */
  counter<Name extends string = never>(
    name: string,
    help: string,
    labels: readonly Name[] = [],
  ): (labels: Labels<Name>, by?: number) => void {
    const counter = new Counter<Name>(this.#of(name, help, labels));
    return (labels, by = 1) => counter.inc(labels, by);
  }

  /** Returns what notes a time. Times are in seconds, and their names end so. */
  seconds<Name extends string = never>(
    name: string,
    help: string,
    labels: readonly Name[] = [],
  ): (labels: Labels<Name>, ms: number) => void {
    const histogram = new Histogram<Name>({ ...this.#of(name, help, labels), buckets });
    return (labels, ms) => histogram.observe(labels, ms / 1_000);
  }

  /** `read` is called at each scrape; it leaves out values that it does not know. */
  gauge<Name extends string = never>(
    name: string,
    help: string,
    labels: readonly Name[],
    read: () => MetricReading<Name> | Promise<MetricReading<Name>>,
  ): void {
    const gauge: Gauge<Name> = new Gauge<Name>({
      ...this.#of(name, help, labels),
      async collect() {
        const found = await read();
        gauge.reset();
        // Without labels it would be 0 now, and not unknown.
        gauge.remove({});
        for (const [labels, value] of found) gauge.set(labels, value);
      },
    });
  }

  #of<Name extends string>(name: string, help: string, labels: readonly Name[]) {
    return { name, help, labelNames: [...labels], registers: [this.#registry] };
  }
}
