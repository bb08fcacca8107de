/**
 * Holds back the runs of a caller who has many here, while a caller with few makes progress.
 *
 * Fifty quick runs of one caller fill each commit and each turn of the event loop, and a small run of another caller
 * waits for them a dozen times. Runs that only wait, for a slow tool or a child, take no time and are not counted.
 */
import type { Run } from '@baton/engine';
import { unawaited } from '@baton/primitives';

import type { Hint } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import { type RecentActivity, callerActiveMs } from './recentActivity.ts';

/** A caller with at most so many runs here has few. */
const fewRunsMax = 4;
/** A caller with more begins a run only while something happens in fewer of its runs than this. */
const activeRunsMax = 4;
const lookEveryMs = 1;

type StartingRun = Pick<Run, 'id' | 'by' | 'seq'>;

interface HeldStart {
  readonly run: StartingRun;
  readonly begin: () => void;
}

export class FairStarts {
  readonly #clock: Clock;
  readonly #activity: RecentActivity;
  /** In the order in which they came, by caller. */
  readonly #held = new Map<string, HeldStart[]>();
  #isServing = false;

  constructor(clock: Clock, activity: RecentActivity) {
    this.#clock = clock;
    this.#activity = activity;
  }

  /** Resolves when the run may begin: true where it was held, so that it may have changed meanwhile. */
  async next(run: StartingRun): Promise<boolean> {
    const { id, by } = run;
    const held = this.#held.get(by);
    if (this.mayBegin(by)) {
      this.#activity.note(id, by);
      return false;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const start: HeldStart = { run, begin: resolve };
    if (held === undefined) this.#held.set(by, [start]);
    else held.push(start);
    if (!this.#isServing) unawaited(this.#serve());
    await promise;
    return true;
  }

  /** Whether a run of this caller may begin at once, and none of its runs is held. */
  mayBegin(by: string): boolean {
    return !this.#held.has(by) && !this.#mustWait(by);
  }

  /** Begins a held run when there is news of it, such as a request to cancel it. */
  routeHint({ runId, seq }: Hint): void {
    for (const [by, starts] of this.#held) {
      const at = starts.findIndex(({ run }) => run.id === runId && run.seq < seq);
      if (at >= 0) this.#begin(by, starts, at);
    }
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    while (this.#held.size > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#clock.after(lookEveryMs, resolve);
      await promise;
      for (const [by, starts] of this.#held)
        while (starts.length > 0 && !this.#mustWait(by)) this.#begin(by, starts, 0);
    }
    this.#isServing = false;
  }

  /** A run that begins counts at once. */
  #begin(by: string, starts: HeldStart[], at: number): void {
    const [start] = starts.splice(at, 1);
    if (starts.length === 0) this.#held.delete(by);
    if (start === undefined) return;
    this.#activity.note(start.run.id, by);
    start.begin();
  }

  #mustWait(by: string): boolean {
    const others = this.#activity.otherCallers(by, callerActiveMs);
    if (others.length === 0 || this.#activity.countRuns(by).active < activeRunsMax) return false;
    return others.some((other) => this.#activity.countRuns(other).all + this.#countHeld(other) <= fewRunsMax);
  }

  #countHeld(by: string): number {
    return this.#held.get(by)?.length ?? 0;
  }
}
