/** Runs a task periodically; the delay starts when the previous run ends, also after a failure. */
import { InvariantError } from '@baton/engine';
import type { Clock } from '@baton/runner';

export interface RoundsOptions {
  readonly clock: Clock;
  /**
   * Resolves to how many milliseconds later to look again. An `InvariantError` ends the process: what is there cannot be.
   * After anything else it is looked again, for others look at the same things, and would all end of it.
   */
  readonly look: () => Promise<number>;
  /** Told of looks that failed. */
  readonly onTrouble: (error: Error) => void;
  /** How many milliseconds later to look again then, after so many that failed in a row. Absent: `growingMs`. */
  readonly awayMs?: (failures: number) => number;
}

const backoffMs = { first: 1_000, most: 15_000 };

/** A pause that doubles with each failure in a row. */
export const growingMs = (failures: number): number => Math.min(backoffMs.first * 2 ** (failures - 1), backoffMs.most);

export class PeriodicTask {
  readonly #options: RoundsOptions;
  #cancelTimer: () => void = () => undefined;
  #looking: Promise<void> = Promise.resolve();
  #failures = 0;
  #isClosed = false;

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  /** True from the start of `close` on: a look that finds much to do stops where it can. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Looks now, or in so many milliseconds. */
  start(inMs = 0): void {
    if (inMs === 0) this.#looking = this.#lookAndGoOn();
    else this.#wait(inMs);
  }

  /** Resolves when nothing is under way any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer();
    await this.#looking;
  }

  #wait(ms: number): void {
    this.#cancelTimer = this.#options.clock.after(ms, () => {
      this.#looking = this.#lookAndGoOn();
    });
  }

  async #lookAndGoOn(): Promise<void> {
    const ms = await this.#look();
    if (!this.#isClosed) this.#wait(ms);
  }

  async #look(): Promise<number> {
    try {
      const ms = await this.#options.look();
      this.#failures = 0;
      return ms;
    } catch (error) {
      if (error instanceof InvariantError) throw error;
      this.#failures += 1;
      this.#options.onTrouble(error instanceof Error ? error : new Error(String(error)));
      return (this.#options.awayMs ?? growingMs)(this.#failures);
    }
  }
}
