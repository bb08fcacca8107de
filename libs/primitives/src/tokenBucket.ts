/** Admits `burst` at once, and `perSecond` in the long run. `now`: milliseconds of a monotonic clock. */
export class TokenBucket {
  readonly #burst: number;
  readonly #perSecond: number;
  #left: number;
  #at = 0;

  constructor({ perSecond, burst = perSecond }: { readonly perSecond: number; readonly burst?: number }) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#left = burst;
  }

  /** Takes `count` tokens; false, and takes none, where fewer are left. */
  admits(now: number, count = 1): boolean {
    this.#left = Math.min(this.#burst, this.#left + ((now - this.#at) / 1_000) * this.#perSecond);
    this.#at = now;
    if (this.#left < count) return false;
    this.#left -= count;
    return true;
  }
}
