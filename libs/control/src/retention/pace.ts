/** How long retention rests between two batches: long where there is little to remove, hardly where it would fall behind. */

/** The least and the most share of the time for removing. */
const shares = { least: 1 / 5, most: 9 / 10 };
/** What is there to remove should be gone after so long. */
const withinMs = 1_800_000;
const restMostMs = 5_000;

export class Pace {
  #left: number;
  readonly #leftMs: (() => number) | undefined;

  /** `left`: how much is to be removed, where that is known; `now`: a clock that only goes forward, milliseconds. */
  constructor(left = 0, now: () => number = () => 0) {
    this.#left = left;
    const end = now() + withinMs;
    this.#leftMs = left === 0 ? undefined : () => end - now();
  }

  /** After a batch that took `workedMs` and removed `done`. */
  restMs(workedMs: number, done: number): number {
    return Math.min(workedMs * (1 / this.#share(workedMs, done) - 1), restMostMs);
  }

  #share(workedMs: number, done: number): number {
    this.#left = Math.max(0, this.#left - done);
    if (this.#leftMs === undefined || done === 0) return shares.least;
    const neededMs = (this.#left / done) * workedMs;
    const leftMs = this.#leftMs();
    const share = leftMs <= 0 ? shares.most : neededMs / leftMs;
    return Math.min(shares.most, Math.max(shares.least, share));
  }
}
