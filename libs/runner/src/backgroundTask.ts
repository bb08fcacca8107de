/**
 * What a process does beside requests and runs: from time to time, and when it is woken. No failure ends it, since its
 * cause may be a row in the database: every process would meet that row, and end of it at each start.
 */
import { backoffMs } from '@baton/primitives';

import type { Clock } from './ports/clock.ts';
import { RowTroubles, type TaskTrouble } from './rowTroubles.ts';

export interface BackgroundTaskOptions {
  /** For operators: what it does. */
  readonly name: string;
  readonly clock: Pick<Clock, 'after'>;
  /** Does the work, and resolves to the delay until the next run, in milliseconds; `Infinity`: until it is woken. */
  readonly run: () => Promise<number>;
  /** Called once for each failure that differs from the one before, until that is over. */
  readonly onTrouble: TaskTrouble;
  /** The delay after so many failures in a row, in milliseconds. Absent: `growingMs`. */
  readonly awayMs?: (failures: number) => number;
}

const pauses = { firstMs: 1_000, longestMs: 15_000 };

/** A delay that doubles with each failure in a row. */
export const growingMs = (failures: number): number => backoffMs(failures, pauses);

export class BackgroundTask {
  readonly #options: BackgroundTaskOptions;
  readonly #troubles: RowTroubles;
  #cancelTimer: () => void = () => undefined;
  #running: Promise<void> | undefined;
  #isWoken = false;
  #failures = 0;
  #isClosed = false;

  constructor(options: BackgroundTaskOptions) {
    this.#options = options;
    this.#troubles = new RowTroubles(options.name, options.onTrouble);
  }

  /** True after `close` was called: a long run of the task stops where it can. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Runs the task now, or after a delay in milliseconds. */
  start(inMs = 0): void {
    if (inMs === 0) this.wake();
    else this.#wait(inMs);
  }

  /** Runs the task now; where it runs already, once more after that. */
  wake(): void {
    this.#isWoken = true;
    if (this.#isClosed || this.#running !== undefined) return;
    this.#cancelTimer();
    this.#running = this.#runAll();
  }

  /** Resolves when the run in progress has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer();
    await this.#running;
  }

  /**
   * Does a part of the work that concerns one row. If that fails, the rest goes on without it: undefined. Rejects with
   * `UnavailableError`, which concerns all rows.
   */
  tryRow<Done>(row: string, work: () => Promise<Done>): Promise<Done | undefined> {
    return this.#troubles.tryRow(row, work);
  }

  #wait(ms: number): void {
    if (ms === Infinity) return;
    this.#cancelTimer = this.#options.clock.after(ms, () => this.wake());
  }

  async #runAll(): Promise<void> {
    let nextMs = Infinity;
    while (this.#isWoken && !this.#isClosed) {
      this.#isWoken = false;
      nextMs = await this.#runGuarded();
    }
    this.#running = undefined;
    if (!this.#isClosed) this.#wait(nextMs);
  }

  async #runGuarded(): Promise<number> {
    const { run, awayMs = growingMs } = this.#options;
    try {
      const ms = await run();
      this.#failures = 0;
      this.#troubles.over();
      return ms;
    } catch (error) {
      this.#failures += 1;
      this.#troubles.tell(error);
      return awayMs(this.#failures);
    }
  }
}
