/**
 * The bus: a hint that a run's journal has grown. Never the data; who hears it reads Postgres (I1).
 * Hints may be lost, doubled or late.
 */
export interface Hint {
  readonly runId: string;
  readonly seq: number;
  /** The run is over, and nothing is appended any more. Not every end is told like this. */
  readonly isLast?: true;
  /** Told by who drives the run: of interest to those who watch it, and to nobody who drives runs. */
  readonly isOwn?: true;
}

/** `soon`: nobody is known to wait for it; it may be kept for a few milliseconds, to go with others. */
export type Urgency = 'now' | 'soon';

/** `foreign`: all but what drivers tell of their own runs, which is nearly all there is. */
export type HintScope = 'all' | 'foreign';

export interface Bus {
  /** Fire and forget: grouped, and never waited for. */
  publish(hint: Hint, urgency?: Urgency): void;
  /** Hints of every run, until the returned function is called. */
  subscribe(listener: (hint: Hint) => void, hearing?: HintScope): () => void;
  close(): Promise<void>;
}
