/** The journal: the only way to read and write what has happened (invariants I2, I3). */
import type { Failure, RunEvent, RunRow, StateWrite } from '@baton/engine';

import type { StateOwner } from './stateSource.ts';

/** Another writer appended first. Read the tail, fold it, decide again. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
  readonly runId: string;

  constructor(runId: string, options?: ErrorOptions) {
    super(`another process appended to run ${runId} first`, options);
    this.runId = runId;
  }
}

/**
 * The operation cannot be done now and may succeed later: the database is unreachable or overloaded. No data is known to
 * be lost.
 */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
}

/** Longer chains of causes are no one's. */
const causesMax = 16;

/** The error itself, or the one among its causes: something of Baton's own could not be read, and is no one's fault. */
export function unavailableIn(error: unknown): UnavailableError | undefined {
  let at = error;
  for (let depth = 0; depth < causesMax && at instanceof Error; depth += 1, at = at.cause)
    if (at instanceof UnavailableError) return at;
  return undefined;
}

/** A write of state was refused: nothing of the append is stored. Read the journal, and decide again with the reason. */
export class StateRefusedError extends ConflictError {
  readonly path: string;
  readonly failure: Failure;

  constructor(runId: string, path: string, failure: Failure) {
    super(runId);
    this.path = path;
    this.failure = failure;
  }
}

/** A blob to be stored before the events that refer to it. */
export interface NewBlob {
  readonly sha256: string;
  /** The JSON text. */
  readonly text: string;
}

interface AppendedState extends StateOwner {
  /** Who asked for the run. */
  readonly by: string;
  readonly writes: readonly StateWrite[];
}

export interface Append {
  readonly events: readonly RunEvent[];
  /** Present where the events change a column that lists show; it is written in the same statement. */
  readonly row?: RunRow;
  readonly blobs?: readonly NewBlob[];
  /** What the events write; stored in their transaction, or the append is refused with `StateRefusedError`. */
  readonly state?: AppendedState;
  /**
   * The caller does not wait for this append yet: the log may hold it a few milliseconds, to write it with others, or
   * until `flush`.
   */
  readonly mayWait?: boolean;
}

/** One run's journal, open for appending at a known position. */
export interface RunLog {
  readonly runId: string;
  /** Position of the last event that was read or appended, counted from 1. */
  readonly seq: number;
  /**
   * Appends after `seq`, all or none, and resolves when that is durable.
   *
   * May be called again before it resolves: appends of one log keep their order. When one fails, all queued behind it
   * fail too and the log cannot be used any more; open the run again.
   *
   * Rejects with `ConflictError` where another writer was first, and with `UnavailableError` where the events may or may
   * not have been written.
   */
  append(append: Append): Promise<void>;
  /** Writes the appends that were held back by `mayWait`: a caller waits for them now. */
  flush(): void;
}

export interface OpenRun {
  readonly events: readonly RunEvent[];
  readonly log: RunLog;
  /** Present where Baton did not write all of `events`: no worker may act on them. */
  readonly forgery?: JournalForgery;
}

/** The first event that no process of this installation has written. */
export interface JournalForgery {
  /** Position in the journal, counted from 1. */
  readonly seq: number;
  /** A sentence that says what is wrong, without the position. */
  readonly message: string;
}

export interface Journal {
  /**
   * Reads a run's events after position `after` (0: all of them) and opens its log at the end.
   * Undefined where there is no such run. Rejects with `UnavailableError`.
   */
  open(runId: string, after?: number): Promise<OpenRun | undefined>;
}

export interface BlobStore {
  /** The JSON text behind a digest; undefined where retention dropped it. */
  get(sha256: string): Promise<string | undefined>;
}
