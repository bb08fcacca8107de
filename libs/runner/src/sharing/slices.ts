/**
 * Splits long decisions into slices, so that a run with ten thousand items does not delay the others.
 *
 * One slice runs at a time. Between two slices the event loop serves calls, heartbeats and runs that decide quickly.
 * Slices rotate between the callers who requested runs, and between the runs of one caller. A quick run needs a dozen
 * turns of the event loop and some commits, and would wait for a slice at each. So while a run of another caller is making
 * progress, slices are shorter, and each is followed by its commit and a rest as long as itself.
 */
import { setImmediate } from 'node:timers/promises';

import { unawaited } from '@baton/primitives';

import type { Clock } from '../ports/clock.ts';
import { type RecentActivity, runActiveMs, callerActiveMs } from './recentActivity.ts';

/**
 * `ms`: how long a slice may block the event loop. `unsavedMax`: maximum number of slices that are not durable yet (one
 * being written, one being decided). `shared` applies while a run of another caller is making progress, and for
 * `callerActiveMs` afterwards, since that caller may start another run.
 */
const slice = { alone: { ms: 12, unsavedMax: 2 }, shared: { ms: 2, unsavedMax: 1 } } as const;

type BeginSlice = (sliceMs: number) => void;

export class Slices {
  readonly #clock: Clock;
  readonly #activity: RecentActivity;
  /** By the caller who requested the runs; the caller served last is at the end. */
  readonly #waiting = new Map<string, BeginSlice[]>();
  readonly #unsaved = new Set<Promise<void>>();
  #isServing = false;

  /** RecentActivity is noted, not looked up: a quick run may begin and end between two slices. */
  constructor(clock: Clock, activity: RecentActivity) {
    this.#clock = clock;
    this.#activity = activity;
  }

  /**
   * Resolves when the next slice of a run may begin, to its milliseconds. `saved` settles when the previous slice is
   * durable.
   */
  async next(by: string, saved: Promise<unknown>): Promise<number> {
    this.#note(saved);
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#waiting.set(by, [...(this.#waiting.get(by) ?? []), resolve]);
    if (!this.#isServing) unawaited(this.#serve());
    return promise;
  }

  #note(saved: Promise<unknown>): void {
    const settled = saved.then(
      () => undefined,
      () => undefined,
    );
    this.#unsaved.add(settled);
    unawaited(settled.then(() => this.#unsaved.delete(settled)));
  }

  async #serve(): Promise<void> {
    const clock = this.#clock;
    this.#isServing = true;
    let begunMs = clock.monotonic();
    for (;;) {
      await setImmediate();
      const tookMs = clock.monotonic() - begunMs;
      const [by] = this.#waiting.keys();
      if (by === undefined) break;
      const { ms, unsavedMax } = slice[this.#haveOthersMoved(by, callerActiveMs) ? 'shared' : 'alone'];
      while (this.#unsaved.size >= unsavedMax) await Promise.race(this.#unsaved);
      await this.#rest(by, tookMs);
      begunMs = clock.monotonic();
      this.#take(by)?.(ms);
    }
    this.#isServing = false;
  }

  /** Whether a run of another caller made progress in the last `ms`. */
  #haveOthersMoved(by: string, ms: number): boolean {
    return this.#activity.otherCallers(by, ms).length > 0;
  }

  /** Ends early when no other caller's run makes progress any more. */
  async #rest(by: string, ms: number): Promise<void> {
    const clock = this.#clock;
    const until = clock.monotonic() + ms;
    while (clock.monotonic() < until && this.#haveOthersMoved(by, runActiveMs)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      clock.after(1, resolve);
      await promise;
    }
  }

  #take(by: string): BeginSlice | undefined {
    const [begin, ...rest] = this.#waiting.get(by) ?? [];
    this.#waiting.delete(by);
    if (rest.length > 0) this.#waiting.set(by, rest);
    return begin;
  }
}
