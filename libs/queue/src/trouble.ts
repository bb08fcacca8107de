/**
 * What goes wrong around a queue. None of it makes a run wrong (I1): it is counted, told, and got over.
 */
export type QueueTrouble =
  /** A connection broke, could not be opened, or answered with an error. */
  | 'connection'
  /** A job's lock was lost: the queue may give its bell to somebody else. */
  | 'lock-lost'
  /** A job was taken back from a worker that no longer renewed its lock. */
  | 'stalled'
  /** A job that is no bell: its data was emptied, or somebody else put it there. It is dropped. */
  | 'foreign-job'
  /** The function that answers bells threw. */
  | 'answer-failed'
  /** A hint could not be published or was unreadable. */
  | 'bus';

/**
 * Called at most once a second for each kind, with the latest error and how often it happened since the queue was opened.
 * Who gets an `InvariantError` with `answer-failed` ends the process.
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
