/**
 * Repairs omissions of queues, workers and orchestrators: rings again for runs that can continue, repeats hints of
 * cancellations, notifies parents of ended children.
 *
 * Every orchestrator runs one, independently: all actions are idempotent and decide nothing. The worker that answers a
 * bell decides whether the run can continue.
 */
import {
  type Bell,
  type Bus,
  type Clock,
  type Journal,
  type TaskTrouble,
  BackgroundTask,
  growingMs,
  liveness,
  notifyParentOf,
} from '@baton/runner';
import {
  type DuePlace,
  type StuckRun,
  type RunsAtWork,
  type Store,
  cancellingRuns,
  dropEnd,
  dueRuns,
  forgetWorkers,
  lastPositions,
  noteMissedEnds,
  passTurns,
  silentRuns,
  unpassedTurns,
  untakenEnds,
} from '@baton/store';

import { runEach } from '../runEach.ts';
import { PagedLook } from './pagedLook.ts';
import { timing } from './timing.ts';

export type ReconcilerRemedy = 'rung-due' | 'rung-silent' | 'hinted-cancel' | 'told-parent' | 'passed-turn';

export interface ReconcilerOptions {
  readonly store: Store;
  readonly journal: Journal;
  readonly bell: Bell;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly random: () => number;
  /** Called with each kind of repair and the number of runs. */
  readonly onRemedy: (remedy: ReconcilerRemedy, runs: number) => void;
  readonly onTrouble: TaskTrouble;
}

export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #due = new PagedLook<StuckRun, DuePlace>(timing.patienceMs);
  readonly #silent = new PagedLook<StuckRun, string>(timing.patienceMs);
  readonly #cancelling = new PagedLook<StuckRun, string>(timing.patienceMs);
  readonly #untaken = new PagedLook<{ readonly runId: string }, string>(timing.patienceMs);
  readonly #passes: BackgroundTask;
  #forgetAt = 0;
  #thoroughAt = -Infinity;
  /** The last pass found runs of silent workers: there may be more than one pass takes. */
  #foundSilent = false;
  /** The last parent whose children were looked through for ends that an older version did not write down. */
  #missedUntil: string | undefined;
  #sawAllMissed = false;
  /** The runs up to which the pages of turns were looked through; absent: the next page is the first. */
  #admittedTurnsAfter: string | undefined;
  #allTurnsAfter: string | undefined;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    const run = async (): Promise<number> => {
      await this.makePass();
      return this.#jittered(timing.everyMs);
    };
    const awayMs = (failures: number): number => this.#jittered(growingMs(failures + 1));
    this.#passes = new BackgroundTask({ name: 'reconciler', clock, run, onTrouble, awayMs });
    this.#passes.start(this.#jittered(timing.everyMs));
  }

  /** Resolves when the pass in progress has ended. */
  async close(): Promise<void> {
    await this.#passes.close();
  }

  /**
   * Makes one pass. Rejects with `UnavailableError` if Postgres or the queue is away, after doing what needs neither.
   */
  async makePass(): Promise<void> {
    const { store, clock } = this.#options;
    const isThorough = clock.monotonic() >= this.#thoroughAt + timing.thoroughEveryMs;
    if (isThorough) this.#thoroughAt = clock.monotonic();
    const atWork = await store.runsAtWork();
    await runEach([
      () => this.#notifyParents(atWork),
      () => this.#noteMissedEnds(),
      () => this.#passTurns(atWork, isThorough),
      () => this.#hintAtCancellations(atWork),
      () => this.#ringForSilent(atWork, isThorough),
      () => this.#ringForDue(atWork),
      () => this.#forgetWorkers(),
    ]);
  }

  async #ringForSilent({ hasActive }: RunsAtWork, isThorough: boolean): Promise<void> {
    if (!hasActive) return;
    const { store, clock } = this.#options;
    const within = { forMs: liveness.silentMs, limit: timing.batch, isThorough: isThorough || this.#foundSilent };
    const due = await this.#silent.next(async (after) => {
      const runs = await silentRuns(store, { ...within, after });
      this.#foundSilent = runs.length > 0;
      return { items: runs, next: nextIn(runs) };
    }, clock.monotonic());
    await this.#ringFor('rung-silent', due);
  }

  async #ringForDue({ hasActive, hasDue }: RunsAtWork): Promise<void> {
    if (!hasActive && !hasDue) return;
    const { store, clock } = this.#options;
    const due = await this.#due.next(async (after) => {
      const { runs, next } = await dueRuns(store, { forMs: timing.headStartMs, limit: timing.batch, after });
      return { items: runs, next };
    }, clock.monotonic());
    await this.#ringFor('rung-due', due);
  }

  #jittered(ms: number): number {
    return ms * (0.8 + 0.4 * this.#options.random());
  }

  async #ringFor(remedy: ReconcilerRemedy, runs: readonly StuckRun[]): Promise<void> {
    if (runs.length === 0) return;
    this.#options.onRemedy(remedy, runs.length);
    await this.#options.bell.ring(runs.map(({ runId, priority }) => ({ runId, priority })));
  }

  /** Sends the hint to the worker that drives the run, and rings for any worker in case none does. */
  async #hintAtCancellations({ hasCancelling }: RunsAtWork): Promise<void> {
    if (!hasCancelling) return;
    const { store, bus, clock } = this.#options;
    const runs = await this.#cancelling.next(async (after) => {
      const found = await cancellingRuns(store, { limit: timing.batch, after });
      return { items: found, next: nextIn(found) };
    }, clock.monotonic());
    if (runs.length === 0) return;
    const positions = await lastPositions(
      store,
      runs.map(({ runId }) => runId),
    );
    for (const [runId, seq] of positions) bus.publish({ runId, seq });
    await this.#ringFor('hinted-cancel', runs);
  }

  async #notifyParents({ hasChildEnds }: RunsAtWork): Promise<void> {
    if (!hasChildEnds) return;
    const { store, clock } = this.#options;
    const children = await this.#untaken.next(async (after) => {
      const found = await untakenEnds(store, { forMs: timing.headStartMs, limit: timing.batch, after });
      const items = found.map((runId) => ({ runId }));
      return { items, next: nextIn(items) };
    }, clock.monotonic());
    let notified = 0;
    const notify = async (runId: string): Promise<void> => {
      const notice = await notifyParentOf(this.#options, runId);
      if (notice === 'notified') notified += 1;
      if (notice !== 'early') await dropEnd(store, runId);
    };
    await runEach(
      children.map(
        ({ runId }) =>
          () =>
            this.#passes.tryRow(runId, () => notify(runId)),
      ),
    ).finally(() => {
      if (notified > 0) this.#options.onRemedy('told-parent', notified);
    });
  }

  /** Once, a page in each pass: a worker of an older version may end children during an upgrade. */
  async #noteMissedEnds(): Promise<void> {
    if (this.#sawAllMissed) return;
    this.#missedUntil = await noteMissedEnds(this.#options.store, this.#missedUntil);
    this.#sawAllMissed = this.#missedUntil === undefined;
  }

  /** Wakes the next run in line of concurrency keys whose last run ended without doing so. */
  async #passTurns({ hasTurns }: RunsAtWork, isThorough: boolean): Promise<void> {
    if (!hasTurns) return;
    const { store } = this.#options;
    const within = { forMs: timing.headStartMs, limit: timing.batch };
    const admitted = await unpassedTurns(store, { ...within, after: this.#admittedTurnsAfter, isThorough: false });
    this.#admittedTurnsAfter = admitted.next;
    const keys = new Set(admitted.keys);
    if (isThorough || this.#allTurnsAfter !== undefined) {
      const all = await unpassedTurns(store, { ...within, after: this.#allTurnsAfter, isThorough: true });
      this.#allTurnsAfter = all.next;
      for (const key of all.keys) keys.add(key);
    }
    const pass = async (key: string): Promise<void> => {
      const next = await passTurns(store, key);
      if (next.length === 0) return;
      this.#options.onRemedy('passed-turn', next.length);
      await this.#options.bell.ring(next);
    };
    await runEach([...keys].map((key) => () => this.#passes.tryRow(key, () => pass(key))));
  }

  async #forgetWorkers(): Promise<void> {
    const now = this.#options.clock.monotonic();
    if (now < this.#forgetAt) return;
    this.#forgetAt = now + timing.forgetEveryMs;
    await forgetWorkers(this.#options.store, timing.forgetMs);
  }
}

/** The place after a page of runs in order of their ids; undefined: it is the last one. */
const nextIn = (page: readonly { readonly runId: string }[]): string | undefined =>
  page.length === timing.batch ? page.at(-1)?.runId : undefined;
