/**
 * The bus: a hint that a run's journal has grown. Never the data; who hears it reads Postgres (I1).
 * Hints may be lost, doubled or late.
 */
export interface Hint {
  readonly runId: string;
  readonly seq: number;
}

export interface Bus {
  /** Fire and forget: grouped, and never waited for. */
  publish(hint: Hint): void;
  /** Every hint of every run, until the returned function is called. */
  subscribe(listener: (hint: Hint) => void): () => void;
  close(): Promise<void>;
}
