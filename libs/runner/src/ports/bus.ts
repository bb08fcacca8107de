/**
 * The bus: a hint that a run's journal has grown. It never carries the data; a listener reads Postgres (I1). Hints may
 * be lost, doubled or late.
 */
export interface Hint {
  readonly runId: string;
  readonly seq: number;
  /** The run has ended: nothing more is appended. Some runs end without this hint. */
  readonly isLast?: true;
  /** Sent by the driver of the run. Watchers of the run need it; drivers ignore it. */
  readonly isOwn?: true;
}

/** `soon`: no known waiter; the hint may be held a few milliseconds, to travel with others. */
export type Urgency = 'now' | 'soon';

/** `foreign`: every hint except those that drivers send about their own runs, which are nearly all. */
export type HintScope = 'all' | 'foreign';

export interface Bus {
  /** Queues the hint and returns at once; hints are sent in groups. */
  publish(hint: Hint, urgency?: Urgency): void;
  /** Calls `listener` with the hints of every run, until the returned function is called. */
  subscribe(listener: (hint: Hint) => void, scope?: HintScope): () => void;
  close(): Promise<void>;
}
