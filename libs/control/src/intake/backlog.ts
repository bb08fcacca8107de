/** Refuses new runs when too many wait for a worker (I7). */
import { ProblemError } from '@baton/api';
import { limits } from '@baton/expressions';
import { type Clock, type TaskTrouble, BackgroundTask } from '@baton/runner';

export interface BacklogOptions {
  /** Counts waiting runs, up to `most`. */
  readonly count: (most: number) => Promise<number>;
  readonly clock: Clock;
  readonly onTrouble: TaskTrouble;
  /** Absent: as in `limits`. */
  readonly most?: number | undefined;
}

const freshMs = 1_000;
/** Counting uses at most a fiftieth of the time, however many runs wait. */
const shareOfTime = 50;

/**
 * No request waits for the count: it is up to a second old (more where it takes over 20 ms), plus what this process
 * accepted since. So several orchestrators may exceed the limit by what the others accept meanwhile.
 */
export class QueueBacklog {
  readonly #options: BacklogOptions;
  readonly #most: number;
  #waiting = 0;
  #staleAt = -Infinity;
  readonly #counting: BackgroundTask;
  /** Runs accepted since the count began; the count may or may not include them. */
  #since = 0;

  constructor(options: BacklogOptions) {
    this.#options = options;
    this.#most = options.most ?? limits.run.queued;
    const { clock, onTrouble } = options;
    const run = (): Promise<number> => this.#count();
    const awayMs = (): number => Infinity;
    this.#counting = new BackgroundTask({ name: 'the count of waiting runs', clock, run, awayMs, onTrouble });
  }

  /** Throws `ProblemError` if too many wait. */
  check(): void {
    if (this.#options.clock.monotonic() > this.#staleAt) this.#counting.wake();
    if (this.#waiting < this.#most) return;
    throw new ProblemError('overloaded', `${this.#most} runs wait for a worker already, which is the maximum.`, {
      headers: { 'retry-after': '2' },
    });
  }

  /** Notes one more accepted run. */
  add(): void {
    this.#waiting += 1;
    this.#since += 1;
  }

  /** Where it fails, the last count holds, plus what was accepted since. */
  async #count(): Promise<number> {
    const { count, clock } = this.#options;
    const begunAt = clock.monotonic();
    this.#staleAt = Infinity;
    this.#since = 0;
    try {
      const counted = await count(this.#most);
      this.#waiting = counted + this.#since;
      return Infinity;
    } finally {
      this.#staleAt = clock.monotonic() + Math.max(freshMs, shareOfTime * (clock.monotonic() - begunAt));
    }
  }
}
