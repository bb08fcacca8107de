/**
 * The bell: tells some worker that a run can go on. It may be lost, late or doubled; it is never the truth (I1).
 * libs/queue implements it over BullMQ.
 */
export interface Ring {
  readonly runId: string;
  /** Milliseconds from now; 0 or absent: at once. */
  readonly delayMs?: number;
  /** Smaller is sooner, as in BullMQ; absent: first come, first served. */
  readonly priority?: number;
}

export interface Bell {
  /** Never waits for a queue that is away: it rejects within about a second, and the reconciler rings again. */
  ring(rings: readonly Ring[]): Promise<void>;
  close(): Promise<void>;
}

/** The other end. */
export interface BellListener {
  /** Stops taking jobs, waits for the running ones up to `graceMs`, hands the rest back. */
  close(graceMs: number): Promise<void>;
}

/** Called for each bell, at most `concurrency` at once. `signal`: the queue took the job away. */
export type OnBell = (runId: string, signal: AbortSignal) => Promise<void>;
