/**
 * Folds journals into runs. Caches the folds of long journals with their positions, so that a repeated request only
 * reads and folds new events.
 */
import { type Run, type RunEvent, evolve, replay, Trace } from '@baton/engine';
import type { Journal } from '@baton/runner';

import { weightOf } from './weightOf.ts';

/** Grows with later requests for the run; `run` and `trace` always have the same position. */
export interface FoldedRun {
  readonly run: Run;
  readonly trace: Trace;
}

interface KeptFold {
  run: Run;
  readonly trace: Trace;
  /** The approximate size of the events, in bytes. */
  weight: number;
}

export interface FoldLimits {
  /** Journals with fewer events are not cached. */
  readonly events: number;
  /** Limit of the cache: the size of the events of all folds. */
  readonly bytes: number;
}

const usual: FoldLimits = { events: 200, bytes: 32 * 2 ** 20 };

export class FoldedRuns {
  readonly #journal: Journal;
  readonly #limits: FoldLimits;
  /** Ordered by last use: the least recently used fold is first. */
  readonly #kept = new Map<string, KeptFold>();
  /** Reads in progress: two must not fold the same events. */
  readonly #reading = new Map<string, Promise<FoldedRun | undefined>>();
  #weight = 0;

  constructor(journal: Journal, limits: FoldLimits = usual) {
    this.#journal = journal;
    this.#limits = limits;
  }

  /** The run as it is now; undefined if there is none. `runId` must be a run id. Rejects with `UnavailableError`. */
  async find(runId: string): Promise<FoldedRun | undefined> {
    const id = runId.toLowerCase();
    const read = (): Promise<FoldedRun | undefined> => this.#read(id);
    // A later request may know of later events: it reads again, after the read in progress.
    const reading = this.#reading.get(id)?.then(read, read) ?? read();
    this.#reading.set(id, reading);
    try {
      return await reading;
    } finally {
      if (this.#reading.get(id) === reading) this.#reading.delete(id);
    }
  }

  async #read(id: string): Promise<FoldedRun | undefined> {
    const known = this.#kept.get(id);
    const opened = await this.#journal.open(id, known?.run.seq);
    if (opened === undefined) {
      this.#drop(id);
      return undefined;
    }
    const { events } = opened;
    try {
      const fold = known === undefined ? begun(id, events) : extendFold(known, events);
      if (fold.run.seq >= this.#limits.events) this.#keep(id, fold, events);
      return fold;
    } catch (error) {
      // After an error, the event may be in the run and not in the trace.
      this.#drop(id);
      throw error;
    }
  }

  #keep(id: string, fold: KeptFold, events: readonly RunEvent[]): void {
    this.#drop(id);
    fold.weight += weightOf(events);
    this.#weight += fold.weight;
    this.#kept.set(id, fold);
    for (const oldest of this.#kept.keys()) {
      if (this.#weight <= this.#limits.bytes) return;
      this.#drop(oldest);
    }
  }

  #drop(id: string): void {
    this.#weight -= this.#kept.get(id)?.weight ?? 0;
    this.#kept.delete(id);
  }
}

const begun = (id: string, events: readonly RunEvent[]): KeptFold => ({
  run: replay(id, events),
  trace: Trace.of(events),
  weight: 0,
});

function extendFold(fold: KeptFold, events: readonly RunEvent[]): KeptFold {
  for (const event of events) {
    fold.run = evolve(fold.run, event);
    fold.trace.take(event);
  }
  return fold;
}
