/**
 * Removes what has been kept for long enough, every hour. Every orchestrator runs one; only one at a time removes runs.
 * It rests for longer than it works, so that other work is not slowed down; killed anywhere, it has removed
 * whole batches, and goes on with the next one an hour later.
 */
import type { Clock } from '@baton/runner';
import type { Store } from '@baton/store';
import { countRemovable, removeRecords, removeRuns } from '@baton/store';

import { PeriodicTask } from '../periodicTask.ts';

/** How long what is kept, in milliseconds; `Infinity`: for ever. */
export interface RetentionPeriods {
  /** From the end of a run. */
  readonly runsMs: number;
  readonly recordsMs: number;
}

export type RemovableKind = 'runs' | 'events' | 'values' | 'keys' | 'firings' | 'callbacks';

export interface RetentionOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly keep: RetentionPeriods;
  /** Told of what was removed, a batch at a time. */
  readonly onRemoved: (what: RemovableKind, count: number) => void;
  /** Told of looks that failed. */
  readonly onTrouble: (error: Error) => void;
}

const everyMs = 3_600_000;
const firstMs = 60_000;
/** Of the time is spent removing, unless that would be a long rest. */
const workingPart = 1 / 5;
const restMostMs = 5_000;

export class Retention {
  readonly #options: RetentionOptions;
  readonly #rounds: PeriodicTask;

  constructor(options: RetentionOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    const look = async (): Promise<number> => {
      await this.remove();
      return everyMs;
    };
    this.#rounds = new PeriodicTask({ clock, look, onTrouble });
  }

  start(): void {
    this.#rounds.start(firstMs);
  }

  /** Resolves when nothing is under way any more. */
  async close(): Promise<void> {
    await this.#rounds.close();
  }

  get keep(): RetentionPeriods {
    const { runsMs, recordsMs } = this.#options.keep;
    // What names a run that is gone is of no use.
    return { runsMs, recordsMs: Math.min(recordsMs, runsMs) };
  }

  /** What would be removed now. Rejects with `UnavailableError`. */
  count(): Promise<{ readonly runs: number; readonly records: number }> {
    const { store } = this.#options;
    return countRemovable(store, { runsBefore: this.#before('runsMs'), recordsBefore: this.#before('recordsMs') });
  }

  /** All that has been kept for long enough: first what refers to runs, then runs. Rejects with `UnavailableError`. */
  async remove(): Promise<void> {
    const { store } = this.#options;
    const [before, endedBefore] = [this.#before('recordsMs'), this.#before('runsMs')];
    if (before > 0) await this.#inBatches((after?: Date) => removeRecords(store, { before, after }));
    if (endedBefore > 0) await this.#inBatches((after?: string) => removeRuns(store, { endedBefore, after }));
  }

  #before(what: keyof RetentionPeriods): number {
    return Math.max(0, this.#options.clock.now() - this.keep[what]);
  }

  async #inBatches<Place>(
    removeAfter: (
      after?: Place,
    ) => Promise<({ readonly next?: Place } & Partial<Record<RemovableKind, number>>) | undefined>,
  ): Promise<void> {
    const { clock, onRemoved } = this.#options;
    for (let after: Place | undefined; !this.#rounds.isClosed;) {
      const start = clock.monotonic();
      const removed = await removeAfter(after);
      const { next, ...counts } = removed ?? {};
      for (const [what, count] of Object.entries(counts)) if (count > 0) onRemoved(what as RemovableKind, count);
      if (next === undefined) return;
      after = next;
      await this.#rest(Math.min((clock.monotonic() - start) * (1 / workingPart - 1), restMostMs));
    }
  }

  async #rest(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#options.clock.after(ms, resolve);
    await promise;
  }
}
