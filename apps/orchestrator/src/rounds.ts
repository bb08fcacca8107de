/** A look that is taken again and again, each a while after the one before it has ended, whatever became of that one. */
import type { Clock } from '@baton/runner';
import { UnavailableError } from '@baton/runner';

export interface RoundsOptions {
  readonly clock: Clock;
  /** Resolves to how many milliseconds later to look again. Whatever but `UnavailableError` it rejects with ends the process. */
  readonly look: () => Promise<number>;
  /** Told of looks that failed because something is away. */
  readonly onTrouble: (error: UnavailableError) => void;
  /** How many milliseconds later to look again then, after so many that failed in a row. */
  readonly awayMs: (failures: number) => number;
}

export class Rounds {
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
      if (!(error instanceof UnavailableError)) throw error;
      this.#failures += 1;
      this.#options.onTrouble(error);
      return this.#options.awayMs(this.#failures);
    }
  }
}
