/** Faults around a queue. None makes a run wrong (I1): each is counted, reported, and recovered from. */
export type QueueTrouble =
  /** A connection broke, could not be opened, or answered with an error. */
  | 'connection'
  /** A job's lock was lost: the queue may give its bell to another worker. */
  | 'lock-lost'
  /** A job was taken back from a worker that no longer renewed its lock. */
  | 'stalled'
  /** A job without run ids: its data was emptied, or another program made it. It is dropped. */
  | 'foreign-job'
  /** The function that answers bells threw. */
  | 'answer-failed'
  /** A hint could not be published or was unreadable. */
  | 'bus';

/**
 * Called with the latest error and the number of occurrences since the queue was opened, at most once a second for each
 * kind; for `answer-failed` each time. It only reports: for a bug, the worker ends the process itself.
 */
export type OnTrouble = (what: QueueTrouble, error: Error, count: number) => void;

const quietMs = 1_000;

export class QueueTroubles {
  readonly #onTrouble: OnTrouble;
  readonly #counts = new Map<QueueTrouble, number>();
  readonly #reportedAt = new Map<QueueTrouble, number>();

  constructor(onTrouble: OnTrouble) {
    this.#onTrouble = onTrouble;
  }

  report(what: QueueTrouble, error: unknown): void {
    const count = (this.#counts.get(what) ?? 0) + 1;
    this.#counts.set(what, count);
    const now = performance.now();
    if (what !== 'answer-failed' && now - (this.#reportedAt.get(what) ?? -Infinity) < quietMs) return;
    this.#reportedAt.set(what, now);
    this.#onTrouble(what, error instanceof Error ? error : new Error(String(error)), count);
  }

  counts(): Partial<Record<QueueTrouble, number>> {
    return Object.fromEntries(this.#counts);
  }
}
