/**
 * The journal of a run that is not stored yet: its first append stores the run, its first event and what is appended, in
 * one statement. An append of which nothing is known is settled as for any other log: the journal is read before
 * anything else is done.
 */
import { type Append, type RunLog, ConflictError, UnavailableError } from '@baton/runner';

import type { RequestOutcome } from './runRequest.ts';

export interface StoredRequest {
  readonly outcome: RequestOutcome;
  /** Goes on after what was stored. Absent: no run was created. */
  readonly log?: RunLog;
}

export class UnstoredLog implements RunLog {
  readonly runId: string;
  readonly #store: (first: Append) => Promise<StoredRequest>;
  readonly #outcome = Promise.withResolvers<RequestOutcome | undefined>();
  #stored: Promise<RunLog> | undefined;
  #log: RunLog | undefined;
  #isGivenUp = false;

  /** `store` rejects as `RequestWriter.request` does. */
  constructor(runId: string, store: (first: Append) => Promise<StoredRequest>) {
    this.runId = runId;
    this.#store = store;
  }

  get seq(): number {
    return this.#log?.seq ?? 1;
  }

  /**
   * What became of the request; undefined where it was given up. Rejects as `RequestWriter.request` does: then the run may
   * be stored, or not.
   */
  get outcome(): Promise<RequestOutcome | undefined> {
    return this.#outcome.promise;
  }

  /** From now on nothing is stored, unless it is under way. */
  giveUp(): void {
    if (this.#stored !== undefined) return;
    this.#isGivenUp = true;
    this.#outcome.resolve(undefined);
  }

  flush(): void {
    this.#log?.flush();
  }

  async append(append: Append): Promise<void> {
    if (this.#isGivenUp) throw new ConflictError(this.runId);
    if (this.#stored !== undefined) return (await this.#stored).append(append);
    this.#stored = this.#storeWith(append);
    await this.#stored;
  }

  async #storeWith(first: Append): Promise<RunLog> {
    try {
      const { outcome, log } = await this.#store(first);
      this.#log = log;
      this.#outcome.resolve(outcome);
    } catch (error) {
      this.#outcome.reject(error);
      if (error instanceof UnavailableError) throw error;
    }
    // No run was created: another one has its key, or the request was refused. Who asked for it knows why.
    if (this.#log === undefined) throw new ConflictError(this.runId);
    return this.#log;
  }
}
