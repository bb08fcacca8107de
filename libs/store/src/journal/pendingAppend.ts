/** An append that waits to be written to the journal. */
import type { RunRow } from '@baton/engine';
import type { Append, NewBlob } from '@baton/runner';

import type { HashedEvent } from './appendStatement.ts';
import type { ModelCost } from './modelCosts.ts';
import type { BegunWrites } from './usage.ts';

/** The appends of one session keep their order; after the first failure all later ones fail too. */
export interface AppendSession {
  error: Error | undefined;
}

export interface PendingAppend {
  readonly owner: AppendSession;
  readonly runId: string;
  readonly events: readonly HashedEvent[];
  readonly row: RunRow | undefined;
  readonly blobs: readonly NewBlob[];
  /** What the events write of the state of their workflow. */
  readonly state: Append['state'];
  /** Ids of the children whose ends the events take. */
  readonly takenEnds: readonly string[];
  readonly costs: readonly ModelCost[];
  readonly writes: readonly BegunWrites[];
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}
