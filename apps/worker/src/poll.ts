/**
 * Queries Postgres every few seconds for runs that should continue, so that a broken, empty or unreachable queue only
 * makes runs late (I1). Also delivers cancels whose hint was lost to the runs of this worker.
 *
 * Poll is fair where the queue is not: bells come in the order in which they were rung, even behind ten thousand of one
 * workflow. Poll takes runs of each key, and of each workflow of a key, in turn, and has a few slots that bells cannot
 * fill.
 */
import type { Logger } from '@baton/boot';
import { InvariantError } from '@baton/engine';
import type { RunDrivers } from '@baton/runner';
import { liveness, UnavailableError } from '@baton/runner';
import type { Store } from '@baton/store';
import { cancellingRuns, dueRuns, neglectedRuns, silentRuns, unknownRuns } from '@baton/store';

const everyMs = 2_000;
/** Used when bells fill all their slots, so that only Poll finds runs with less than a fair share. */
const crowdedMs = { every: 400, headStart: 150 } as const;
/** Maximum part of the time spent polling: slow queries make polls rarer, down to one every `seldomMs`. */
const pollingPart = 1 / 10;
const seldomMs = 10_000;
/** A run whose bell has not been answered for this long is taken by Poll. */
const headStartMs = 1_500;
const batch = 100;
/** Additional slots that bells cannot fill, as a part of `concurrency`. */
const extraSlots = 1 / 4;
/** One slot for a workflow that has no other run here, and one for a key. */
const extraSlotsMin = 2;

export interface PollOptions {
  readonly store: Store;
  /** This worker's id. */
  readonly worker: string;
  readonly drives: RunDrivers;
  /** Drives a run; never rejects. */
  readonly take: (runId: string) => Promise<void>;
  readonly log: Logger;
  /**
   * Maximum number of runs driven at once, including those that bells brought; a quarter more where one key or workflow
   * has them all.
   */
  readonly concurrency: number;
}

export class Poll {
  readonly #options: PollOptions;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Polls that failed in a row. */
  #failures = 0;

  constructor(options: PollOptions) {
    this.#options = options;
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #schedule(ms = everyMs): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      const began = performance.eventLoopUtilization();
      void this.#poll()
        .then(() => {
          this.#failures = 0;
          const leastMs = this.#isCrowded ? crowdedMs.every : everyMs;
          // Counts only idle time: while this process computes, Postgres' answers wait without costing Postgres anything.
          const { idle: pollingMs } = performance.eventLoopUtilization(began);
          return Math.min(Math.max(leastMs, pollingMs / pollingPart), seldomMs);
        })
        .catch((error: unknown) => this.#onFailure(error))
        .then((nextMs) => this.#schedule(nextMs));
    }, ms);
  }

  get #isCrowded(): boolean {
    const { drives, concurrency } = this.#options;
    return drives.size >= concurrency;
  }

  async #poll(): Promise<void> {
    const { store, drives } = this.#options;
    const { hasCancelling, hasActive, hasDue } = await store.runsAtWork(0);
    if (hasCancelling)
      for (const { runId } of await cancellingRuns(store, batch)) drives.routeHint({ runId, seq: Infinity });
    if (hasActive || hasDue) await this.#takeStuck();
  }

  async #takeStuck(): Promise<void> {
    const { store, worker, drives, take, concurrency } = this.#options;
    // Bells fill all ordinary slots.
    if (this.#isCrowded) return this.#takeNeglected(crowdedMs.headStart);
    const limit = Math.min(batch, concurrency - drives.size);
    const due = await dueRuns(store, { forMs: headStartMs, limit });
    const silent = await silentRuns(store, { forMs: liveness.silentMs, limit });
    // Neglected runs are among these; the query for them costs more than both, so it comes second.
    if (due.length + silent.length > 0) await this.#takeNeglected(headStartMs);
    const room = Math.min(limit, concurrency - drives.size);
    if (room <= 0) return;
    const unknown = await unknownRuns(store, worker, { known: drives.runIds, limit: room });
    for (const { runId } of [...unknown, ...silent, ...due].slice(0, room)) void take(runId);
  }

  async #takeNeglected(forMs: number): Promise<void> {
    const { store, drives, take, concurrency } = this.#options;
    const slots = concurrency + Math.max(extraSlotsMin, Math.ceil(concurrency * extraSlots));
    const limit = Math.min(batch, slots - drives.size);
    if (limit <= 0) return;
    const { silentMs } = liveness;
    const sharing = { driven: drives.runIds, slots, forMs, silentMs, limit };
    for (const { runId } of await neglectedRuns(store, sharing)) void take(runId);
  }

  /** Returns the delay before the next poll. An `InvariantError` ends the process; other errors are retried. */
  #onFailure(error: unknown): number {
    if (error instanceof InvariantError) throw error;
    const { log } = this.#options;
    this.#failures += 1;
    if (error instanceof UnavailableError) log.debug({ err: error }, 'Postgres is not available; trying again soon');
    else log.warn({ err: error }, 'runs that can continue could not be read; trying again soon');
    return Math.min(everyMs * 2 ** (this.#failures - 1), seldomMs);
  }
}
