/**
 * A run that is started while nothing else is has its bell rung at the same time as it is put on record: the way through
 * the queue to a worker, and the commit, then go side by side (decision 13). Where runs come thick and fast it would only
 * keep them from sharing jobs.
 */
import type { Bell, Clock } from '@baton/runner';
import { bellAheadMs } from '@baton/runner';

/** So long nothing else was started. */
const aloneMs = 3;

export interface EarlyBellOptions {
  readonly bell: Bell;
  readonly clock: Clock;
  readonly onBellFailed: (error: unknown) => void;
}

/** False where no bell rang, or where the worker that heard it may have given up before the run was stored. */
export type IsHeard = () => boolean;

export class EarlyBell {
  readonly #options: EarlyBellOptions;
  #startedAt = -Infinity;

  constructor(options: EarlyBellOptions) {
    this.#options = options;
  }

  /** To be called for each run that may begin at once, right before it is put on record; ask the answer when it is. */
  ring(runId: string, priority = 0): IsHeard {
    const { bell, clock, onBellFailed } = this.#options;
    const now = clock.monotonic();
    const isAlone = now - this.#startedAt > aloneMs;
    this.#startedAt = now;
    if (!isAlone) return () => false;
    bell.ring([{ runId, priority }]).catch(onBellFailed);
    return () => clock.monotonic() - now < bellAheadMs;
  }
}
