/**
 * The bus: a hint that a run's journal has grown. Never the data; who hears it reads Postgres (I1).
 * Hints may be lost, doubled or late.
 */
export interface Hint {
  readonly runId: string;
  readonly seq: number;
  /** The run is over, and nothing is appended any more. Not every end is told like this. */
  readonly isLast?: true;
}

/** `soon`: nobody is known to wait for it; it may be kept for a few milliseconds, to go with others. */
export type Urgency = 'now' | 'soon';

export interface Bus {
  /** Fire and forget: grouped, and never waited for. */
  publish(hint: Hint, urgency?: Urgency): void;
  /** Every hint of every run, until the returned function is called. */
  subscribe(listener: (hint: Hint) => void): () => void;
  close(): Promise<void>;
}
