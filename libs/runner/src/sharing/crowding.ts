/** Notices that runs wait for a slot of this worker. */
import type { Clock } from '../ports/clock.ts';

/** A worker is crowded if all its slots have been taken for this long … */
const fullMs = 50;
/** … or if a run that it begins could have begun so long ago. */
const lateMs = 100;
/** How often `onCrowded` is called at most. */
const everyMs = 500;

export interface CrowdingOptions {
  readonly clock: Clock;
  /** Number of slots that bells may fill. */
  readonly concurrency: number;
  /** Called while the worker is crowded. */
  readonly onCrowded: () => void;
}

export class Crowding {
  readonly #options: CrowdingOptions;
  /** Set while all slots are taken. */
  #cancelTimer: (() => void) | undefined;
  #calledAt = -Infinity;
  #isClosed = false;

  constructor(options: CrowdingOptions) {
    this.#options = options;
  }

  /** Call it when a run was taken or released. `runs`: number of runs that the worker drives now. */
  noteRuns(runs: number): void {
    if (runs < this.#options.concurrency) this.#stopTimer();
    else if (!this.#isClosed) this.#cancelTimer ??= this.#options.clock.after(fullMs, () => this.#stillFull());
  }

  /** Call it when the worker begins a run that could have begun `waitedMs` ago. */
  noteWait(waitedMs: number): void {
    if (waitedMs > lateMs) this.#call();
  }

  /** The worker takes no more runs. */
  close(): void {
    this.#isClosed = true;
    this.#stopTimer();
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #stillFull(): void {
    this.#call();
    this.#cancelTimer = this.#options.clock.after(everyMs, () => this.#stillFull());
  }

  #call(): void {
    const now = this.#options.clock.monotonic();
    if (this.#isClosed || now - this.#calledAt < everyMs) return;
    this.#calledAt = now;
    this.#options.onCrowded();
  }
}
