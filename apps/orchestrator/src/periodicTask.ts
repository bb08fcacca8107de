/** Runs a task periodically; the delay starts when the previous run ends, also after a failure. */
import { InvariantError } from '@baton/engine';
import type { Clock } from '@baton/runner';

export interface PeriodicTaskOptions {
  readonly clock: Clock;
  /**
   * Does the work, and resolves to the delay until the next run, in milliseconds. An `InvariantError` ends the process.
   * After any other error the task runs again: other processes do the same work, and would all end because of it.
   */
  readonly runOnce: () => Promise<number>;
  /** Called with errors of failed runs. */
  readonly onTrouble: (error: Error) => void;
  /** The delay after so many failures in a row, in milliseconds. Absent: `growingMs`. */
  readonly awayMs?: (failures: number) => number;
}

const backoffMs = { first: 1_000, most: 15_000 };

/** A delay that doubles with each failure in a row. */
export const growingMs = (failures: number): number => Math.min(backoffMs.first * 2 ** (failures - 1), backoffMs.most);

export class PeriodicTask {
  readonly #options: PeriodicTaskOptions;
  #cancelTimer: () => void = () => undefined;
  #running: Promise<void> = Promise.resolve();
  #failures = 0;
  #isClosed = false;

  constructor(options: PeriodicTaskOptions) {
    this.#options = options;
  }

  /** True after `close` was called: a long run of the task stops where it can. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Runs the task now, or after a delay in milliseconds. */
  start(inMs = 0): void {
    if (inMs === 0) this.#running = this.#runAndGoOn();
    else this.#wait(inMs);
  }

  /** Resolves when the run in progress has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer();
    await this.#running;
  }

  #wait(ms: number): void {
    this.#cancelTimer = this.#options.clock.after(ms, () => {
      this.#running = this.#runAndGoOn();
    });
  }

  async #runAndGoOn(): Promise<void> {
    const ms = await this.#runGuarded();
    if (!this.#isClosed) this.#wait(ms);
  }

  async #runGuarded(): Promise<number> {
    try {
      const ms = await this.#options.runOnce();
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
