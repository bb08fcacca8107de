/**
 * Splits long decisions into slices, so that a run with ten thousand items does not delay the others.
 *
 * One slice runs at a time. Between two slices the event loop serves calls, heartbeats and runs that decide quickly.
 * Slices rotate between the callers who requested runs, and between the runs of one caller. At most two slices wait to be
 * written to Postgres.
 */
import { setImmediate } from 'node:timers/promises';

/** Maximum number of slices that are not durable yet: one being written, one being decided. */
const unsavedMax = 2;

type Begin = () => void;

export class Slices {
  /** By the caller who requested the runs; the caller served last is at the end. */
  readonly #waiting = new Map<string, Begin[]>();
  readonly #unsaved = new Set<Promise<void>>();
  #isServing = false;

  /** Resolves when the next slice of a run may begin. `saved` settles when the previous slice is durable. */
  async next(by: string, saved: Promise<unknown>): Promise<void> {
    this.#note(saved);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(by, [...(this.#waiting.get(by) ?? []), resolve]);
    if (!this.#isServing) void this.#serve();
    await promise;
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
    this.#isServing = true;
    while (this.#waiting.size > 0) {
      await setImmediate();
      while (this.#unsaved.size >= unsavedMax) await Promise.race(this.#unsaved);
      this.#take()?.();
    }
    this.#isServing = false;
  }

  #take(): Begin | undefined {
    for (const [by, [begin, ...rest]] of this.#waiting) {
      this.#waiting.delete(by);
      if (rest.length > 0) this.#waiting.set(by, rest);
      return begin;
    }
    return undefined;
  }
}
