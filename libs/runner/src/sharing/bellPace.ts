/**
 * Decides when bells leave. A few leave at once. While many are rung, those of some milliseconds leave together: a job
 * costs far more than the ids in it, and runs that begin together share commits later (decision 22).
 */

/** This many bells within this time are many. */
const many = { bells: 16, withinMs: 30 } as const;

export class BellPace {
  readonly #gatherMs: number;
  /** When the last bells left, the newest last; no more of them than are many. */
  readonly #left: number[] = [];

  /** `gatherMs`: how long bells are gathered while many are rung. Times are of one clock, in milliseconds. */
  constructor(gatherMs: number) {
    this.#gatherMs = gatherMs;
  }

  noteLeaving(bells: number, now: number): void {
    for (let n = 0; n < Math.min(bells, many.bells); n += 1) this.#left.push(now);
    this.#left.splice(0, this.#left.length - many.bells);
  }

  /** How long a bell that is rung now waits for others, milliseconds. */
  waitMs(now: number): number {
    const [oldest = -Infinity] = this.#left;
    const newest = this.#left.at(-1) ?? -Infinity;
    const areMany = this.#left.length === many.bells && now - oldest < many.withinMs;
    return areMany ? Math.max(0, newest + this.#gatherMs - now) : 0;
  }
}
