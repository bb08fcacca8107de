/**
 * Group commit: jobs that arrive while one batch is being written form the next. When no batch is being written, the
 * next one leaves at once, in the same turn of the event loop, unless `begin` schedules it later. Jobs whose callers do
 * not wait yet may be held a little, until `flush` or until another job leaves.
 */

import { unawaited } from './unawaited.ts';

/** How long a job that may wait is held. */
const heldMs = 10;

export class Batches<Job> {
  readonly #take: (waiting: Job[]) => readonly Job[];
  readonly #carryOut: (batch: readonly Job[]) => Promise<void>;
  readonly #begin: (work: () => void) => void;
  readonly #pause: (() => Promise<void>) | undefined;
  #waiting: Job[] = [];
  #isUnderWay = false;
  /** A caller waits for the held jobs. */
  #isFlushRequested = false;
  #isTimed = false;
  #idle = Promise.withResolvers<void>();

  constructor(options: {
    /** Removes the next batch from what waits; at least one job. */
    readonly take: (waiting: Job[]) => readonly Job[];
    /** Settles every job of the batch. Never rejects. */
    readonly carryOut: (batch: readonly Job[]) => Promise<void>;
    /** Schedules a batch when none is being written. Absent: the next microtask. */
    readonly begin?: (work: () => void) => void;
    /**
     * Awaited between a batch and the next one, so that jobs of callers whom the first batch let continue join the next.
     * Absent: no pause.
     */
    readonly pause?: () => Promise<void>;
  }) {
    this.#take = options.take;
    this.#carryOut = options.carryOut;
    this.#begin = options.begin ?? queueMicrotask;
    this.#pause = options.pause;
    this.#idle.resolve();
  }

  /** Number of jobs for the next batches. */
  get waiting(): number {
    return this.#waiting.length;
  }

  add(job: Job, mayWait = false): void {
    this.#waiting.push(job);
    if (!mayWait) return this.flush();
    if (this.#isTimed) return;
    this.#isTimed = true;
    setTimeout(() => {
      this.#isTimed = false;
      this.flush();
    }, heldMs);
  }

  /** Writes the held jobs now, or with the next batch. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    this.#isFlushRequested = true;
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    this.#idle = Promise.withResolvers();
    this.#begin(() => unawaited(this.#work()));
  }

  /** Resolves when nothing waits and nothing is under way. */
  async idle(): Promise<void> {
    this.flush();
    await this.#idle.promise;
  }

  async #work(): Promise<void> {
    while (this.#isFlushRequested) {
      const batch = this.#take(this.#waiting);
      this.#isFlushRequested = this.#waiting.length > 0;
      await this.#carryOut(batch);
      if (this.#isFlushRequested) await this.#pause?.();
    }
    this.#isUnderWay = false;
    this.#idle.resolve();
  }
}

/** The first `most` of what waits. */
export const firstOf =
  <Job>(most: number) =>
  (waiting: Job[]): readonly Job[] =>
    waiting.splice(0, most);
