/**
 * What drivers of this process have stored, for others in this process who wait for it: without a hint, and without a
 * read. A process that drives nothing has nothing to tell: its followers hear of their runs over the bus.
 */
import type { Run, RunEvent } from '@baton/engine';

/** `events`: durable now, the last of them at position `run.seq`. Other writers may have appended before them. */
type StoredHandler = (run: Run, events: readonly RunEvent[]) => void;

export class StoredHere {
  readonly #followers = new Map<string, StoredHandler>();

  /** Calls `onStored` with the events of the run until the returned function is called. A run has one follower. */
  follow(runId: string, onStored: StoredHandler): () => void {
    this.#followers.set(runId, onStored);
    return () => this.#followers.delete(runId);
  }

  tell(run: Run, events: readonly RunEvent[]): void {
    this.#followers.get(run.id)?.(run, events);
  }
}
