/**
 * Rings the bell of a single run while the statement that records the run is on its way, so that queue and commit work
 * in parallel (decision 13). Not under load, where it would only prevent runs from sharing jobs.
 */
import { type Bell, bellAheadMs } from '../ports/bell.ts';
import type { Clock } from '../ports/clock.ts';

/** A run counts as single if no other started within this time. */
const aloneMs = 3;

export interface EarlyBellOptions {
  readonly bell: Bell;
  readonly clock: Clock;
  readonly onBellFailed: (error: unknown) => void;
}

/** False if no bell rang, or if the worker may have given up before the run was stored. */
export type IsHeard = () => boolean;

export class EarlyBell {
  readonly #options: EarlyBellOptions;
  #startedAt = -Infinity;

  constructor(options: EarlyBellOptions) {
    this.#options = options;
  }

  /**
   * Call it for each run that can begin at once, right before it is recorded, and call the returned function
   * afterwards.
   */
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
