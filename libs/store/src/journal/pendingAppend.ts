/** What waits to be written to the journal. */
import type { RunRow } from '@baton/engine';
import type { NewBlob } from '@baton/runner';

import type { HashedEvent } from './appendStatement.ts';

/** Whose appends keep their order, and fail together from the first one that does. */
export interface AppendSession {
  trouble: Error | undefined;
}

export interface PendingAppend {
  readonly owner: AppendSession;
  readonly runId: string;
  readonly events: readonly HashedEvent[];
  readonly row: RunRow | undefined;
  readonly blobs: readonly NewBlob[];
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}
