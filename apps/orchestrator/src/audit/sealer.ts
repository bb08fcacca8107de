/** Seals finished runs every minute. Every orchestrator runs one; whoever is second finds nothing to do. */
import type { Clock } from '@baton/runner';
import { UnavailableError } from '@baton/runner';
import type { Store } from '@baton/store';
import { sealRuns } from '@baton/store';

export interface SealerOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Told of looks that failed because something is away. */
  readonly onTrouble: (error: Error) => void;
}

const everyMs = 60_000;
/** The clocks of workers may be behind, and their commits late. */
const lateMs = 3_600_000;
/** Every so many times all runs are looked through. */
const thoroughEvery = 60;

export class Sealer {
  readonly #options: SealerOptions;
  #cancelTimer: () => void = () => undefined;
  #sealing: Promise<unknown> = Promise.resolve();
  #looks = 0;
  #isClosed = false;

  constructor(options: SealerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#cancelTimer = this.#options.clock.after(everyMs, () => {
      this.#sealing = this.#sealAndGoOn();
    });
  }

  /** Resolves when nothing is under way any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer();
    await this.#sealing;
  }

  /** All that is finished by now. How many runs that were. Rejects with `UnavailableError`. */
  async seal(from = 0): Promise<number> {
    const { store, clock } = this.#options;
    let sealed = 0;
    for (;;) {
      const runs = await sealRuns(store, { nowMs: clock.now(), from });
      if (runs === undefined || this.#isClosed) return sealed;
      sealed += runs;
    }
  }

  async #sealAndGoOn(): Promise<void> {
    const { clock, onTrouble } = this.#options;
    const isThorough = this.#looks % thoroughEvery === 0;
    this.#looks += 1;
    try {
      await this.seal(isThorough ? 0 : clock.now() - lateMs);
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      onTrouble(error);
    }
    if (!this.#isClosed) this.start();
  }
}
