/** How many runs wait for a worker: where there are too many, no more are taken in (I7). */
import { ProblemError } from '@baton/api';
import { limits } from '@baton/language';
import type { Clock } from '@baton/runner';
import { UnavailableError } from '@baton/runner';

export interface BacklogOptions {
  /** Counts those that wait, up to `most`. Rejects with `UnavailableError`. */
  readonly count: (most: number) => Promise<number>;
  readonly clock: Clock;
  /** Absent: as in limits. */
  readonly most?: number | undefined;
}

const freshMs = 1_000;

/**
 * No request waits for the count: it is up to a second old, and what was taken in here since is added. Several orchestrators
 * may exceed the limit by what the others take in within that second.
 */
export class QueueBacklog {
  readonly #options: BacklogOptions;
  readonly #most: number;
  #waiting = 0;
  #countedAt = -Infinity;
  #isCounting = false;
  /** Taken in since the count began; the count may or may not include them. */
  #since = 0;

  constructor(options: BacklogOptions) {
    this.#options = options;
    this.#most = options.most ?? limits.run.queued;
  }

  /** Throws `ProblemError` where there are too many. */
  check(): void {
    const { clock } = this.#options;
    if (!this.#isCounting && clock.monotonic() - this.#countedAt > freshMs) void this.#count();
    if (this.#waiting < this.#most) return;
    throw new ProblemError('overloaded', `${this.#most} runs wait for a worker, and more are not taken in.`, {
      headers: { 'retry-after': '2' },
    });
  }

  /** One more. */
  add(): void {
    this.#waiting += 1;
    this.#since += 1;
  }

  async #count(): Promise<void> {
    const { count, clock } = this.#options;
    this.#isCounting = true;
    this.#since = 0;
    try {
      const counted = await count(this.#most);
      this.#waiting = counted + this.#since;
    } catch (error) {
      // The client is about to learn it too.
      if (!(error instanceof UnavailableError)) throw error;
    } finally {
      this.#isCounting = false;
      this.#countedAt = clock.monotonic();
    }
  }
}
