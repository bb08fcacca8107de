/**
 * Queries Postgres every few seconds for runs that should continue, so that a broken, empty or unreachable queue only
 * makes runs late (I1). Also delivers cancels whose hint was lost to the runs of this worker.
 *
 * The poll is fair where the queue is not: bells come in the order in which they were rung, even behind ten thousand of one
 * workflow. The poll takes runs of each key, and of each workflow of a key, in turn, and has a few slots that bells cannot
 * fill. While the worker is crowded, orchestrators offer it runs of other callers, and the poll looks at these at once.
 */
import { performance } from 'node:perf_hooks';

import { Batches, firstOf, unawaited } from '@baton/primitives';

import { BackgroundTask } from '../backgroundTask.ts';
import type { Hint } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import { liveness } from '../ports/liveness.ts';
import { afterFailuresMs, afterPollMs, firstPollMs } from './pollDelay.ts';
import type { FairShare, NeglectedRun, WaitingRuns } from './waitingRuns.ts';

/** A run whose bell has not been answered for this long is taken by the poll; `crowded`: when bells fill all their slots. */
const headStartMs = { usual: 1_500, crowded: 150 } as const;
const batch = 100;
/** Offered runs that have no slot yet; further ones are left to the next poll. */
const offeredMax = 200;
/** Additional slots that bells cannot fill, as a part of `concurrency`. */
const extraSlots = 1 / 4;
/** One slot for a workflow that has no other run here, and one for a key. */
const extraSlotsMin = 2;

/** The runs that this worker drives: see `RunDrivers`. */
interface DrivenRuns {
  readonly size: number;
  readonly runIds: readonly string[];
  runsByCaller(): ReadonlyMap<string, number>;
  servedCallers(): readonly string[];
  routeHint(hint: Hint): void;
}

export interface WaitingRunPollOptions {
  readonly waiting: WaitingRuns;
  readonly clock: Pick<Clock, 'after'>;
  readonly drives: DrivenRuns;
  /** Drives a run; never rejects. */
  readonly take: (runId: string) => Promise<void>;
  /** Runs that could not be driven a moment ago. */
  readonly setAside: { ids(): readonly string[] };
  /** Called when runs could not be looked for, until the poll is closed. */
  readonly onTrouble: (error: Error) => void;
  /** The listener's slots are shared with bells. */
  readonly bells: { tryTakeSlot(): (() => void) | undefined };
  /** Whether bells may be missed now. Absent: never. */
  readonly isDeaf?: () => boolean;
  /** Number of the slots that are shared with bells. The poll has a quarter more of its own. */
  readonly concurrency: number;
  /** Begins to measure how long the poll waits for Postgres, in milliseconds. Absent: the idle time of the event loop. */
  readonly measureWait?: () => () => number;
}

export class WaitingRunPoll {
  readonly #options: WaitingRunPollOptions;
  readonly #polls: BackgroundTask;
  /** Looks for neglected runs that Postgres has not answered yet: to each, the callers whose runs were taken meanwhile. */
  readonly #looksUnderWay = new Set<Set<string>>();
  readonly #offered = new Batches<string>({
    take: firstOf(offeredMax),
    carryOut: (offered) => this.#takeOffered(offered).catch((error: Error) => this.#onTrouble(error)),
  });
  /**
   * Offered runs that got no slot, in the order of their offers: they are looked at again with the next one, until a look
   * at all runs has seen them.
   */
  readonly #passedOver = new Set<string>();

  constructor(options: WaitingRunPollOptions) {
    this.#options = options;
    this.#polls = new BackgroundTask({
      name: 'polls',
      clock: options.clock,
      run: () => this.#pollTimed(),
      onTrouble: (error) => this.#onTrouble(error),
      awayMs: afterFailuresMs,
    });
    this.#polls.start(firstPollMs);
  }

  close(): void {
    unawaited(this.#polls.close());
  }

  /** Takes an offered run at once if its caller has less than a fair share of this worker's slots. */
  consider(runId: string): void {
    if (!this.#polls.isClosed && this.#offered.waiting < offeredMax) this.#offered.add(runId);
  }

  /**
   * The callers who already have the share of slots that they would have beside one more caller, and those who have as
   * many runs here as any other. Runs that were not read yet count as those of one other caller.
   */
  callersWithShare(): readonly string[] {
    const { drives } = this.#options;
    const runs = drives.runsByCaller();
    const unread = [...runs.values()].reduce((left, count) => left - count, drives.size);
    const share = Math.min(Math.ceil(this.#slotsMax / (runs.size + 1)), Math.max(unread, ...runs.values()));
    return [...runs].filter(([, count]) => count >= share).map(([caller]) => caller);
  }

  async #pollTimed(): Promise<number> {
    const { measureWait = measureIdle } = this.#options;
    const waitedMs = measureWait();
    await this.#poll();
    return afterPollMs(waitedMs(), { isCrowded: this.#isCrowded, isDeaf: this.#options.isDeaf?.() === true });
  }

  get #slotsMax(): number {
    const { concurrency } = this.#options;
    return concurrency + Math.max(extraSlotsMin, Math.ceil(concurrency * extraSlots));
  }

  get #isCrowded(): boolean {
    const { drives, concurrency } = this.#options;
    return drives.size >= concurrency;
  }

  async #poll(): Promise<void> {
    const { waiting, drives } = this.#options;
    const { hasCancelling, hasActive, hasDue } = await waiting.atWork();
    if (hasCancelling)
      for (const runId of await waiting.cancellingAmong(drives.runIds)) drives.routeHint({ runId, seq: Infinity });
    if (hasActive || hasDue) await this.#takeStuck();
  }

  async #takeStuck(): Promise<void> {
    const { waiting, drives, concurrency, setAside } = this.#options;
    // Bells fill all ordinary slots.
    if (this.#isCrowded) return this.#takeNeglected(headStartMs.crowded);
    const limit = Math.min(batch, concurrency - drives.size);
    const except = setAside.ids();
    const due = await waiting.due({ forMs: headStartMs.usual, limit, except });
    const silent = await waiting.silent({ forMs: liveness.silentMs, limit, except });
    // Neglected runs are among these; the query for them costs more than both, so it comes second.
    if (due.length + silent.length > 0) await this.#takeNeglected(headStartMs.usual);
    const unknown = await waiting.unknown({ known: [...drives.runIds, ...except], limit });
    for (const { runId } of [...unknown, ...silent, ...due]) if (!this.#takeShared(runId)) return;
  }

  /** A run that is offered when a slot is free takes it from no run that was offered before. */
  async #takeOffered(offered: readonly string[]): Promise<void> {
    for (const runId of offered) this.#passedOver.add(runId);
    for (const runId of this.#passedOver) if (this.#passedOver.size > offeredMax) this.#passedOver.delete(runId);
    await this.#takeNeglected(0, [...this.#passedOver]);
  }

  /** `offered`: the only runs to consider; absent: all. */
  async #takeNeglected(forMs: number, offered?: readonly string[]): Promise<void> {
    const { drives, take } = this.#options;
    const slots = this.#slotsMax;
    const limit = Math.min(batch, slots - drives.size);
    if (limit <= 0) return;
    const seen = offered === undefined ? [...this.#passedOver] : [];
    const neglected = await this.#findNeglected({ slots, forMs, limit }, offered);
    if (neglected === undefined) return;
    for (const runId of seen) this.#passedOver.delete(runId);
    for (const { runId, by } of this.fitting(neglected)) {
      this.#passedOver.delete(runId);
      if (!this.#takeShared(runId)) unawaited(take(runId));
      for (const served of this.#looksUnderWay) served.add(by);
    }
  }

  /** As many as there are free slots, some of which others took meanwhile. The last one is for a caller without runs. */
  protected fitting(neglected: readonly NeglectedRun[]): readonly NeglectedRun[] {
    const { drives } = this.#options;
    const free = Math.max(0, this.#slotsMax - drives.size);
    const before = neglected.slice(0, Math.max(0, free - 1));
    const last = neglected[free - 1];
    if (last === undefined) return before;
    const hasRuns = drives.runsByCaller().has(last.by) || before.some(({ by }) => by === last.by);
    return hasRuns ? before : [...before, last];
  }

  /**
   * Leaves out callers whose runs another look has taken meanwhile: two looks would each give them a share. An offered run
   * does not wait for the poll, which takes a tenth of a second where runs of thousands of callers wait.
   */
  async #findNeglected(
    look: Pick<FairShare, 'slots' | 'forMs' | 'limit'>,
    offered: readonly string[] | undefined,
  ): Promise<readonly NeglectedRun[] | undefined> {
    const { waiting, drives, setAside } = this.#options;
    const { runIds: driven } = drives;
    const own = { driven, served: drives.servedCallers(), except: setAside.ids() };
    const sharing = { ...look, ...own, silentMs: liveness.silentMs };
    const served = new Set<string>();
    this.#looksUnderWay.add(served);
    try {
      const found = await waiting.neglected(sharing, offered);
      return found?.filter(({ by }) => !served.has(by));
    } finally {
      this.#looksUnderWay.delete(served);
    }
  }

  /** False where bells have all the slots that the poll shares with them. */
  #takeShared(runId: string): boolean {
    const release = this.#options.bells.tryTakeSlot();
    if (release !== undefined) unawaited(this.#options.take(runId).finally(release));
    return release !== undefined;
  }

  #onTrouble(error: Error): void {
    if (!this.#polls.isClosed) this.#options.onTrouble(error);
  }
}

/** Only idle time counts: while this process computes, answers of Postgres wait without costing Postgres anything. */
function measureIdle(): () => number {
  const began = performance.eventLoopUtilization();
  return () => performance.eventLoopUtilization(began).idle;
}
