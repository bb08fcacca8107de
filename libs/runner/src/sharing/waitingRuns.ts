/** What a worker asks of Postgres to find runs that it may take. Each question rejects with `UnavailableError`. */

interface WaitingRun {
  readonly runId: string;
}

/** A waiting run whose caller, or whose workflow, has less than its share of the worker. */
export interface NeglectedRun extends WaitingRun {
  /** The caller who requested it. */
  readonly by: string;
}

/** What a worker says of itself when it looks for neglected runs. */
export interface FairShare {
  /** Ids of the runs that this worker drives. */
  readonly driven: readonly string[];
  /** Number of slots for runs that this worker has, including taken ones. */
  readonly slots: number;
  /** A run that has waited this long is not left to its bell. */
  readonly forMs: number;
  /** A worker silent for longer than this has lost its runs. */
  readonly silentMs: number;
  /** Number of free slots. */
  readonly limit: number;
  /** Ids of runs to leave out. */
  readonly except: readonly string[];
  /** Callers that had a run here before; the one that was served least recently comes first. */
  readonly served: readonly string[];
}

interface Look {
  /** How long the state may have lasted unnoticed. */
  readonly forMs: number;
  readonly limit: number;
  /** Ids of runs to leave out. */
  readonly except: readonly string[];
}

export interface WaitingRuns {
  /** Which kinds of unfinished runs there may be. Cheap; false only where there are none. */
  atWork(): Promise<{ readonly hasActive: boolean; readonly hasDue: boolean; readonly hasCancelling: boolean }>;
  /** Those of these runs for which a cancel was requested. */
  cancellingAmong(runIds: readonly string[]): Promise<readonly string[]>;
  /** Runs that have been queued or due for `forMs`; the run that has waited longest comes first. */
  due(look: Look): Promise<readonly WaitingRun[]>;
  /** Runs of workers that have been silent for `forMs`. */
  silent(look: Look): Promise<readonly WaitingRun[]>;
  /** Runs marked as running on this worker, but for the `known` ones. */
  unknown(look: { readonly known: readonly string[]; readonly limit: number }): Promise<readonly WaitingRun[]>;
  /**
   * In the order in which they should get a slot. `offered`: the only runs to consider; absent: all. Undefined where
   * another worker looks at all of them.
   */
  neglected(share: FairShare, offered?: readonly string[]): Promise<readonly NeglectedRun[] | undefined>;
}
