/**
 * Holds back the runs of a caller who has many here, while a caller with few makes progress.
 *
 * Fifty quick runs of one caller fill each commit and each turn of the event loop, and a small run of another caller
 * waits for them a dozen times. Runs that only wait, for a slow tool or a child, take no time and are not counted.
 */
import type { Clock } from '../ports/clock.ts';
import type { Progress } from './progress.ts';
import { presentMs } from './progress.ts';

/** A caller with so many runs here has few. */
const fewRuns = 4;
/** In how many runs of a caller with more something may happen at a time. */
const livelyMost = 4;
const lookEveryMs = 1;

interface WaitingStart {
  readonly runId: string;
  readonly begin: () => void;
}

export class FairStarts {
  readonly #clock: Clock;
  readonly #progress: Progress;
  readonly #waiting = new Map<string, WaitingStart[]>();
  #isServing = false;

  constructor(clock: Clock, progress: Progress) {
    this.#clock = clock;
    this.#progress = progress;
  }

  /** Resolves when the run of the caller `by` may begin. */
  async next(runId: string, by: string): Promise<void> {
    if (!this.#isHeld(by)) return this.#progress.note(runId, by);
    const { promise, resolve } = Promise.withResolvers<void>();
    const start: WaitingStart = { runId, begin: resolve };
    const waiting = this.#waiting.get(by);
    if (waiting === undefined) this.#waiting.set(by, [start]);
    else waiting.push(start);
    if (!this.#isServing) void this.#serve();
    await promise;
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    while (this.#waiting.size > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#clock.after(lookEveryMs, resolve);
      await promise;
      this.#beginAllowed();
    }
    this.#isServing = false;
  }

  /** A run that begins counts at once. */
  #beginAllowed(): void {
    for (const [by, starts] of this.#waiting) {
      for (let start = starts[0]; start !== undefined && !this.#isHeld(by); start = starts[0]) {
        starts.shift();
        this.#progress.note(start.runId, by);
        start.begin();
      }
      if (starts.length === 0) this.#waiting.delete(by);
    }
  }

  #isHeld(by: string): boolean {
    const others = this.#progress.others(by, presentMs);
    if (others.length === 0 || this.#progress.countRuns(by).lively < livelyMost) return false;
    return others.some((other) => this.#progress.countRuns(other).all + this.#countWaiting(other) <= fewRuns);
  }

  #countWaiting(by: string): number {
    return this.#waiting.get(by)?.length ?? 0;
  }
}
