/** What is asked of a side, and what it answers: the same for Baton, the limits and the peers. */

/**
 * `W`: each step calls `echo` of server-everything, as a write; `read`: the same, as a read; `W0`: a step does nothing.
 */
export type Kind = 'W' | 'read' | 'W0';

export interface Workload {
  readonly kind: Kind;
  /** Steps of a run, one after the other. */
  readonly steps: number;
}

export interface Load extends Workload {
  /** Runs in flight: begun and not seen to have ended. */
  readonly concurrency: number;
  /** New runs are begun for so long; those in flight are then waited for. */
  readonly forMs: number;
}

export interface Measured {
  readonly runs: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The system that is measured. */
export interface Side {
  readonly name: string;
  /** What holds its truth and what its queue. */
  readonly backend: string;
  /** What is durable when: a figure without it says nothing. */
  readonly durable: string;
  /** Undefined where the side has no such workload. */
  measure(load: Load): Promise<Measured | undefined>;
  /** Processes whose own CPU time is the side's. */
  readonly pids: readonly number[];
  /** Processes that count with all their children. */
  readonly trees: readonly number[];
}

/** `w3`, `w03` for no-op steps, `w3read`. */
export const nameOf = ({ kind, steps }: Workload): string =>
  `w${kind === 'W0' ? '0' : ''}${steps}${kind === 'read' ? 'read' : ''}`;
