/** Faults around a queue. None makes a run wrong (I1): each is counted, reported, and recovered from. */
export type QueueTrouble =
  /** A connection broke, could not be opened, or answered with an error. */
  | 'connection'
  /** A job's lock was lost: the queue may give its bell to another worker. */
  | 'lock-lost'
  /** A job was taken back from a worker that no longer renewed its lock. */
  | 'stalled'
  /** A job that is no bell: its data was emptied, or another program put it there. It is dropped. */
  | 'foreign-job'
  /** The function that answers bells threw. */
  | 'answer-failed'
  /** A hint could not be published or was unreadable. */
  | 'bus';

/**
 * Called at most once a second for each kind, with the latest error and the number of occurrences since the queue was
 * opened; for each `answer-failed`. It is told, and nothing else: the worker itself ends the process for a bug.
 */
export type OnTrouble = (what: QueueTrouble, error: Error, count: number) => void;

const quietMs = 1_000;

export class QueueTroubles {
  readonly #onTrouble: OnTrouble;
  readonly #counts = new Map<QueueTrouble, number>();
  readonly #toldAt = new Map<QueueTrouble, number>();

  constructor(onTrouble: OnTrouble) {
    this.#onTrouble = onTrouble;
  }

  report(what: QueueTrouble, error: unknown): void {
    const count = (this.#counts.get(what) ?? 0) + 1;
    this.#counts.set(what, count);
    const now = performance.now();
    if (what !== 'answer-failed' && now - (this.#toldAt.get(what) ?? -Infinity) < quietMs) return;
    this.#toldAt.set(what, now);
    this.#onTrouble(what, error instanceof Error ? error : new Error(String(error)), count);
  }

  counts(): Partial<Record<QueueTrouble, number>> {
    return Object.fromEntries(this.#counts);
  }
}
