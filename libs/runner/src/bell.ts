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

/**
 * A bell may ring so long before its run is on record: a worker that does not find the run looks for it again, for so
 * long at least. Milliseconds.
 */
export const bellAheadMs = 10;

export interface Bell {
  /** Never waits for a queue that is away: it rejects within about a second, and the reconciler rings again. */
  ring(rings: readonly Ring[]): Promise<void>;
  close(): Promise<void>;
}

/** The other end. */
export interface BellListener {
  /** Takes no more bells, waits for the answers under way up to `graceMs`, gives the rest to somebody else. */
  close(graceMs: number): Promise<void>;
}

/** Called for each bell, at most `concurrency` at once. `signal`: the listener is leaving, and rings again for the run. */
export type OnBell = (runId: string, signal: AbortSignal) => Promise<void>;
