/** Seals finished runs every minute. Every orchestrator runs one; the second one finds nothing to do. */
import type { Clock } from '@baton/runner';
import { UnavailableError } from '@baton/runner';
import type { Store } from '@baton/store';
import { beginMarks, findUnsealed, lastSealedAt, sealRuns } from '@baton/store';

import { PeriodicTask } from '../periodicTask.ts';

export interface SealerOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Told how many runs get no seal, since their journals are not vouched for. */
  readonly onRefused: (runs: number) => void;
  /** Told of looks that failed. */
  readonly onTrouble: (error: Error) => void;
}

const everyMs = 60_000;
/** The clocks of workers may be behind, and their commits late. */
const lateMs = 300_000;
/** So many runs are looked through at each look, round and round: one may have ended unnoticed. */
const lookedThrough = 10_000;

export class Sealer {
  readonly #options: SealerOptions;
  readonly #rounds: PeriodicTask;
  #after: string | undefined;

  constructor(options: SealerOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    this.#rounds = new PeriodicTask({ clock, look: () => this.#look(), onTrouble });
  }

  start(): void {
    this.begun = this.#begin();
    this.#rounds.start(everyMs);
  }

  /** Resolves when it was first tried to say since when there are marks. Of a fresh database they begin here. */
  begun: Promise<void> = Promise.resolve();

  async #begin(): Promise<void> {
    const { store, clock, onTrouble } = this.#options;
    await beginMarks(store, clock.now()).catch((error: unknown) => {
      // At the next look again.
      if (!(error instanceof UnavailableError)) throw error;
      onTrouble(error);
    });
  }

  /** Resolves when nothing is under way any more. */
  async close(): Promise<void> {
    await this.#rounds.close();
  }

  /** All that is finished by now. How many runs that were. Rejects with `UnavailableError`. */
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
