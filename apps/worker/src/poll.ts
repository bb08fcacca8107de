/**
 * Asks Postgres every few seconds for runs that should continue: a queue that is broken, empty or away makes runs late
 * and nothing more (I1). Also delivers cancels whose hint was lost to the runs driven here.
 *
 * Poll is fair where the queue is not: bells come in the order they were rung, even behind ten thousand of one
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
/** When bells fill all their slots, other bells wait: then only Poll finds the runs with less than a fair share. */
const crowdedMs = { every: 400, headStart: 150 } as const;
/** Of the time is spent looking: where there is much to be read, looks are fewer, down to `seldomMs`. */
const lookingPart = 1 / 10;
const seldomMs = 10_000;
/** The bell gets this long before a run counts as forgotten. */
const headStartMs = 1_500;
const batch = 100;
/** Places beside those that the bell fills, as a part of them. */
const placesBeside = 1 / 4;
/** One for a workflow that has no other run here, and one for a key. */
const placesBesideMin = 2;

export interface PollOptions {
  readonly store: Store;
  /** This worker's id. */
  readonly worker: string;
  readonly drives: RunDrivers;
  /** Drives a run; never rejects. */
  readonly take: (runId: string) => Promise<void>;
  readonly log: Logger;
  /**
   * Runs in flight at the most, those that the bell brought included; a quarter more where one key or workflow has them
   * all.
   */
  readonly concurrency: number;
}

export class Poll {
  readonly #options: PollOptions;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Looks that failed in a row. */
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
      void this.#look()
        .then(() => {
          this.#failures = 0;
          const leastMs = this.#isCrowded ? crowdedMs.every : everyMs;
          // The answers of Postgres also wait while this process computes: only what it idles is their cost.
          const { idle: lookingMs } = performance.eventLoopUtilization(began);
          return Math.min(Math.max(leastMs, lookingMs / lookingPart), seldomMs);
        })
        .catch((error: unknown) => this.#onFailure(error))
        .then((nextMs) => this.#schedule(nextMs));
    }, ms);
  }

  get #isCrowded(): boolean {
    const { drives, concurrency } = this.#options;
    return drives.size >= concurrency;
  }

  async #look(): Promise<void> {
    const { store, drives } = this.#options;
    const { hasCancelling, hasActive, hasDue } = await store.runsAtWork(0);
    if (hasCancelling)
      for (const { runId } of await cancellingRuns(store, batch)) drives.routeHint({ runId, seq: Infinity });
    if (hasActive || hasDue) await this.#takeForgotten();
  }

  async #takeForgotten(): Promise<void> {
    const { store, worker, drives, take, concurrency } = this.#options;
    // There is no room for others.
    if (this.#isCrowded) return this.#takeNeglected(crowdedMs.headStart);
    const limit = Math.min(batch, concurrency - drives.size);
    const due = await dueRuns(store, { forMs: headStartMs, limit });
    const silent = await silentRuns(store, { forMs: liveness.silentMs, limit });
    // What is neglected is one of these; to find out which costs more than both.
    if (due.length + silent.length > 0) await this.#takeNeglected(headStartMs);
    const room = Math.min(limit, concurrency - drives.size);
    if (room <= 0) return;
    const unknown = await unknownRuns(store, worker, { known: drives.runIds, limit: room });
    for (const { runId } of [...unknown, ...silent, ...due].slice(0, room)) void take(runId);
  }

  async #takeNeglected(forMs: number): Promise<void> {
    const { store, drives, take, concurrency } = this.#options;
    const places = concurrency + Math.max(placesBesideMin, Math.ceil(concurrency * placesBeside));
    const limit = Math.min(batch, places - drives.size);
    if (limit <= 0) return;
    const { silentMs } = liveness;
    const sharing = { driven: drives.runIds, places, forMs, silentMs, limit };
    for (const { runId } of await neglectedRuns(store, sharing)) void take(runId);
  }

  /** The delay before the next look. An `InvariantError` ends the process; other errors are retried. */
  #onFailure(error: unknown): number {
    if (error instanceof InvariantError) throw error;
    const { log } = this.#options;
    this.#failures += 1;
    if (error instanceof UnavailableError) log.debug({ err: error }, 'Postgres is not available; trying again soon');
    else log.warn({ err: error }, 'runs that can continue could not be read; trying again soon');
    return Math.min(everyMs * 2 ** (this.#failures - 1), seldomMs);
  }
}
