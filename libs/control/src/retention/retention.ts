/**
 * Removes old runs and records every hour. Every orchestrator runs one; only one at a time removes runs. It pauses
 * longer than it works, to leave room for other work, unless it would fall behind: see `Pace`. If it is killed, it has
 * removed whole batches, and continues an hour later.
 */
import { type Clock, type TaskTrouble, BackgroundTask } from '@baton/runner';
import {
  type BlobUse,
  type Store,
  countRemovable,
  dropFullMeters,
  removeLeft,
  removeRecords,
  removeRuns,
  removeValues,
} from '@baton/store';

import { Pace } from './pace.ts';

/** How long to keep things, in milliseconds; `Infinity`: for ever. */
export interface RetentionPeriods {
  /** Counted from the end of a run. */
  readonly runsMs: number;
  readonly recordsMs: number;
}

export type RemovableKind = 'runs' | 'events' | 'values' | 'keys' | 'firings' | 'callbacks' | 'states' | 'shared';

export interface RetentionOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly keep: RetentionPeriods;
  /** Called with what each batch removed. */
  readonly onRemoved: (what: RemovableKind, count: number) => void;
  readonly onTrouble: TaskTrouble;
}

const everyMs = 3_600_000;
const firstMs = 60_000;

export class Retention {
  readonly #options: RetentionOptions;
  readonly #rounds: BackgroundTask;
  /** When the last pass failed, epoch milliseconds; undefined if it succeeded. */
  #failedAt: number | undefined;

  constructor(options: RetentionOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    const run = async (): Promise<number> => {
      await this.remove();
      return everyMs;
    };
    this.#rounds = new BackgroundTask({ name: 'retention', clock, run, onTrouble });
  }

  start(): void {
    this.#rounds.start(firstMs);
  }

  /** Resolves when the pass in progress has ended. */
  async close(): Promise<void> {
    await this.#rounds.close();
  }

  get keep(): RetentionPeriods {
    const { runsMs, recordsMs } = this.#options.keep;
    // Records that name a removed run are useless.
    return { runsMs, recordsMs: Math.min(recordsMs, runsMs) };
  }

  /** What a pass would remove now. Rejects with `UnavailableError`. */
  count(): Promise<{ readonly runs: number; readonly records: number }> {
    const { store } = this.#options;
    return countRemovable(store, { runsBefore: this.#before('runsMs'), recordsBefore: this.#before('recordsMs') });
  }

  /** A sentence about the failure of the last pass; undefined if it succeeded. */
  warning(): string | undefined {
    if (this.#failedAt === undefined) return undefined;
    const at = new Date(this.#failedAt).toISOString();
    return `Old runs and records could not be removed at ${at}; the log says why. Baton will try again.`;
  }

  /** Removes everything that is old enough: first what refers to runs, then runs. Rejects with `UnavailableError`. */
  async remove(): Promise<void> {
    try {
      await this.#removeAll();
      this.#failedAt = undefined;
    } catch (error) {
      this.#failedAt = this.#options.clock.now();
      throw error;
    }
  }

  async #removeAll(): Promise<void> {
    const { store, clock } = this.#options;
    const [before, endedBefore] = [this.#before('recordsMs'), this.#before('runsMs')];
    await dropFullMeters(store);
    if (before > 0) {
      await this.#inBatches((after?: Date) => removeRecords(store, { before, after }));
      await this.#inBatches(() => removeLeft(store, { before }));
    }
    if (endedBefore <= 0) return;
    const { runs } = await this.count();
    const pace = new Pace(runs, () => clock.monotonic());
    await this.#inBatches((after?: string) => removeRuns(store, { endedBefore, after }), pace);
    await this.#inBatches((after?: BlobUse) => removeValues(store, { before: endedBefore, after }), pace);
  }

  #before(what: keyof RetentionPeriods): number {
    return Math.max(0, this.#options.clock.now() - this.keep[what]);
  }

  async #inBatches<Place>(
    removeAfter: (
      after?: Place,
    ) => Promise<({ readonly next?: Place } & Partial<Record<RemovableKind, number>>) | undefined>,
    pace = new Pace(),
  ): Promise<void> {
    const { clock, onRemoved } = this.#options;
    for (let after: Place | undefined; !this.#rounds.isClosed;) {
      const start = clock.monotonic();
      const removed = await removeAfter(after);
      const { next, ...counts } = removed ?? {};
      for (const [what, count] of Object.entries(counts)) if (count > 0) onRemoved(what as RemovableKind, count);
      if (next === undefined) return;
      after = next;
      await this.#rest(pace.restMs(clock.monotonic() - start, counts.runs ?? counts.values ?? 0));
    }
  }

  async #rest(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#options.clock.after(ms, resolve);
    await promise;
  }
}
