/** Refuses new runs when too many wait for a worker (I7). */
import { ProblemError } from '@baton/api';
import { FailureError } from '@baton/engine';
import { limits } from '@baton/language';
import type { Clock } from '@baton/runner';
import { UnavailableError } from '@baton/runner';

export interface BacklogOptions {
  /** Counts waiting runs, up to `most`. Rejects with `UnavailableError`, and with `FailureError` if Postgres refuses. */
  readonly count: (most: number) => Promise<number>;
  readonly clock: Clock;
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
  #isCounting = false;
  /** Runs accepted since the count began; the count may or may not include them. */
  #since = 0;

  constructor(options: BacklogOptions) {
    this.#options = options;
    this.#most = options.most ?? limits.run.queued;
  }

  /** Throws `ProblemError` if too many wait. */
  check(): void {
    const { clock } = this.#options;
    if (!this.#isCounting && clock.monotonic() > this.#staleAt) void this.#count();
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

  async #count(): Promise<void> {
    const { count, clock } = this.#options;
    const begunAt = clock.monotonic();
    this.#isCounting = true;
    this.#since = 0;
    try {
      const counted = await count(this.#most);
      this.#waiting = counted + this.#since;
    } catch (error) {
      // The last count holds, plus what was accepted since. Where Postgres is away, the start itself is about to say so.
      if (!(error instanceof UnavailableError || error instanceof FailureError)) throw error;
    } finally {
      this.#isCounting = false;
      this.#staleAt = clock.monotonic() + Math.max(freshMs, shareOfTime * (clock.monotonic() - begunAt));
    }
  }
}
