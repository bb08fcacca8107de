/**
 * Deciding that takes long goes slice by slice, so that a run with ten thousand items keeps nobody waiting.
 *
 * One slice at a time, however many runs want one, and between two of them everything else of the process has its turn:
 * calls, heartbeats, runs that decide quickly. Those who asked for runs take turns, and of one of them the runs do. What
 * is decided faster than it can be recorded waits: at most two slices are on their way to Postgres.
 */
import { setImmediate } from 'node:timers/promises';

/** What was decided and is not on record yet: one slice being written, one being decided. */
const unsavedMax = 2;

type Begin = () => void;

export class Slices {
  /** By who asked for the runs; who was served last stands last. */
  readonly #waiting = new Map<string, Begin[]>();
  readonly #unsaved = new Set<Promise<void>>();
  #isServing = false;

  /** Resolves when the next slice of a run may begin. `saved`: settles when what its last slice decided is on record. */
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
