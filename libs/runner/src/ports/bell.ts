/**
 * The bell: tells some worker that a run can go on. It may be lost, late or doubled; it is never the truth (I1).
 * libs/queue implements it over BullMQ.
 */
export interface Ring {
  readonly runId: string;
  /** Milliseconds from now; 0 or absent: at once. */
  readonly delayMs?: number;
  /** Smaller is sooner, as in BullMQ; absent: in order of arrival. */
  readonly priority?: number;
}

/**
 * A bell may ring this long before its run is on record. A worker that does not find the run therefore looks again, for
 * at least this long. Milliseconds.
 */
export const bellAheadMs = 10;

export interface Bell {
  /** Rejects within about a second where the queue is unreachable; the reconciler rings again. */
  ring(rings: readonly Ring[]): Promise<void>;
  close(): Promise<void>;
}

/** The listening end of the bell. */
export interface BellListener {
  /**
   * Takes no more bells, waits up to `graceMs` for the answers in progress, and returns the rest to the queue for other
   * workers.
   */
  close(graceMs: number): Promise<void>;
}

/**
 * Called for each bell, at most `concurrency` at once. `signal` is aborted when the listener closes; it then rings
 * again for the run.
 */
export type BellHandler = (runId: string, signal: AbortSignal) => Promise<void>;
