/** A token bucket: allows a burst, and a rate in the long run. `now`: milliseconds of a monotonic clock. */
export class TokenBucket {
  readonly #burst: number;
  readonly #perSecond: number;
  #left: number;
  #at = 0;

  constructor(burst: number, perSecond: number) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#left = burst;
  }

  /** False if the budget is used up. */
  spend(count: number, now: number): boolean {
    this.#left = Math.min(this.#burst, this.#left + ((now - this.#at) / 1_000) * this.#perSecond);
    this.#at = now;
    this.#left -= count;
    return this.#left >= 0;
  }
}
