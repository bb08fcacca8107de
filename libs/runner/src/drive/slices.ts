/**
 * Splits long decisions into slices, so that a run with ten thousand items does not delay the others.
 *
 * One slice runs at a time. Between two slices the event loop serves calls, heartbeats and runs that decide quickly.
 * Slices rotate between the callers who requested runs, and between the runs of one caller. A quick run needs a dozen
 * turns of the event loop and some commits, and would wait for a slice at each. So while a run of another caller is making
 * progress, slices are shorter, and each is followed by its commit and a rest as long as itself.
 */
import { setImmediate } from 'node:timers/promises';

import type { Clock } from '../ports/clock.ts';

/**
 * `ms`: how long a slice may block the event loop. `unsavedMax`: maximum number of slices that are not durable yet (one
 * being written, one being decided). `shared` applies while a run of another caller is making progress, and for
 * `sharedMs` afterwards, since that caller may start another run.
 */
const slice = { alone: { ms: 12, unsavedMax: 2 }, shared: { ms: 3, unsavedMax: 1 } } as const;

const sharedMs = 200;

type BeginSlice = (sliceMs: number) => void;

interface SlicesOptions {
  readonly clock: Clock;
  /** Whether a run of a caller other than `by` is making progress. */
  readonly isOtherLively: (by: string) => boolean;
}

export class Slices {
  readonly #options: SlicesOptions;
  /** By the caller who requested the runs; the caller served last is at the end. */
  readonly #waiting = new Map<string, BeginSlice[]>();
  readonly #unsaved = new Set<Promise<void>>();
  #isServing = false;

  constructor(options: SlicesOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the next slice of a run may begin, to its milliseconds. `saved` settles when the previous slice is
   * durable.
   */
  async next(by: string, saved: Promise<unknown>): Promise<number> {
    this.#note(saved);
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#waiting.set(by, [...(this.#waiting.get(by) ?? []), resolve]);
    if (!this.#isServing) void this.#serve();
    return promise;
  }

  #note(saved: Promise<unknown>): void {
    const settled = saved.then(
      () => undefined,
      () => undefined,
    );
    this.#unsaved.add(settled);
    void settled.then(() => this.#unsaved.delete(settled));
  }

  async #serve(): Promise<void> {
    const { clock, isOtherLively } = this.#options;
    this.#isServing = true;
    let sharedUntil = -Infinity;
    let begunMs = clock.monotonic();
    for (;;) {
      await setImmediate();
      const tookMs = clock.monotonic() - begunMs;
      const [by] = this.#waiting.keys();
      if (by === undefined) break;
      if (isOtherLively(by)) sharedUntil = clock.monotonic() + sharedMs;
      const { ms, unsavedMax } = slice[clock.monotonic() < sharedUntil ? 'shared' : 'alone'];
      while (this.#unsaved.size >= unsavedMax) await Promise.race(this.#unsaved);
      await this.#rest(by, tookMs);
      begunMs = clock.monotonic();
      this.#take(by)?.(ms);
    }
    this.#isServing = false;
  }

  /** Ends early when no other caller's run makes progress any more. */
  async #rest(by: string, ms: number): Promise<void> {
    const { clock, isOtherLively } = this.#options;
    const until = clock.monotonic() + ms;
    while (clock.monotonic() < until && isOtherLively(by)) {
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
