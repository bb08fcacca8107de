/** Seals finished runs every minute. Every orchestrator runs one; the second one finds nothing to do. */
import type { Clock } from '@baton/runner';
import { UnavailableError } from '@baton/runner';
import type { Store } from '@baton/store';
import { beginMarks, findUnsealed, lastSealedAt, sealRuns } from '@baton/store';

import { PeriodicTask } from '../periodicTask.ts';

export interface SealerOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Called with the number of runs that get no seal because their journals fail verification. */
  readonly onRefused: (runs: number) => void;
  /** Called with errors of failed attempts. */
  readonly onTrouble: (error: Error) => void;
}

const everyMs = 60_000;
/** A worker's clock may be behind, and its commit late: runs that ended within this time are not sealed yet. */
const lateMs = 300_000;
/** Each pass also rechecks this many older runs, in rotation: a run may have ended unnoticed. */
const lookedThrough = 10_000;

export class Sealer {
  readonly #options: SealerOptions;
  readonly #rounds: PeriodicTask;
  #after: string | undefined;

  constructor(options: SealerOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    this.#rounds = new PeriodicTask({ clock, runOnce: () => this.#look(), onTrouble });
  }

  start(): void {
    this.begun = this.#begin();
    this.#rounds.start(everyMs);
  }

  /** Resolves after the first attempt to record since when seals exist. In a fresh database they begin now. */
  begun: Promise<void> = Promise.resolve();

  async #begin(): Promise<void> {
    const { store, clock, onTrouble } = this.#options;
    await beginMarks(store, clock.now()).catch((error: unknown) => {
      // The next pass tries again.
      if (!(error instanceof UnavailableError)) throw error;
      onTrouble(error);
    });
  }

  /** Resolves when the pass in progress has ended. */
  async close(): Promise<void> {
    await this.#rounds.close();
  }

  /** Seals all runs that have ended. Resolves to their number. Rejects with `UnavailableError`. */
  async seal(from = 0): Promise<number> {
    const { store, clock } = this.#options;
    for (let count = 0, after = from; ;) {
      const sealed = await sealRuns(store, { nowMs: clock.now(), from: after });
      if (sealed === undefined || this.#rounds.isClosed) return count;
      if (sealed.refused > 0) this.#options.onRefused(sealed.refused);
      count += sealed.runs;
      if (sealed.runs === 0 && sealed.until === after) return count;
      after = sealed.until;
    }
  }

  async #look(): Promise<number> {
    const { store, clock } = this.#options;
    await beginMarks(store, clock.now());
    await this.seal(Math.min(clock.now(), await lastSealedAt(store)) - lateMs);
    const { isThere, next } = await findUnsealed(store, { after: this.#after, most: lookedThrough });
    this.#after = next;
    if (isThere) await this.seal();
    return everyMs;
  }
}
