/**
 * Repairs omissions of queues, workers and orchestrators: rings again for runs that can continue, repeats hints of
 * cancellations, notifies parents of ended children.
 *
 * Every orchestrator runs one, independently: all actions are idempotent and decide nothing. The worker that answers a
 * bell decides whether the run can continue.
 */
import { InvariantError } from '@baton/engine';
import type { Bell, Bus, Clock, Journal } from '@baton/runner';
import { liveness, notifyParentOf } from '@baton/runner';
import type { StuckRun, RunsAtWork, Store, StuckRunsLimit } from '@baton/store';
import {
  cancellingRuns,
  dueRuns,
  forgetWorkers,
  lastPositions,
  passTurns,
  silentRuns,
  unpassedTurns,
  unnotifiedChildren,
} from '@baton/store';

import { growingMs, PeriodicTask } from '../periodicTask.ts';
import { RepeatDelays } from './repeatDelays.ts';
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
  /** Called with errors of failed passes. */
  readonly onTrouble: (error: Error) => void;
}

export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #due = new RepeatDelays(timing.patienceMs);
  readonly #silent = new RepeatDelays(timing.patienceMs);
  readonly #cancelling = new RepeatDelays(timing.patienceMs);
  readonly #unnotified = new RepeatDelays(timing.patienceMs);
  readonly #passes: PeriodicTask;
  #forgetAt = 0;
  #thoroughAt = -Infinity;
  /** The last pass found runs of silent workers: there may be more than one pass takes. */
  #foundSilent = false;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    const runOnce = async (): Promise<number> => {
      await this.makePass();
      return this.#jittered(timing.everyMs);
    };
    const awayMs = (failures: number): number => this.#jittered(growingMs(failures + 1));
    this.#passes = new PeriodicTask({ clock, runOnce, onTrouble, awayMs });
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
    const atWork = await store.runsAtWork(timing.sinceMs);
    const silent = atWork.hasActive ? (within: StuckRunsLimit) => this.#findSilent(within, isThorough) : findsNone;
    const due = atWork.hasActive || atWork.hasDue ? (within: StuckRunsLimit) => dueRuns(store, within) : findsNone;
    await runEach([
      () => this.#notifyParents(atWork, isThorough),
      () => this.#passTurns(atWork, isThorough),
      () => this.#hintAtCancellations(atWork),
      () => this.#ring('rung-silent', this.#silent, silent, liveness.silentMs),
      () => this.#ring('rung-due', this.#due, due, timing.headStartMs),
      () => this.#forgetWorkers(),
    ]);
  }

  async #findSilent(within: StuckRunsLimit, isThorough: boolean): Promise<readonly StuckRun[]> {
    const found = await silentRuns(this.#options.store, { ...within, isThorough: isThorough || this.#foundSilent });
    this.#foundSilent = found.length > 0;
    return found;
  }

  #jittered(ms: number): number {
    return ms * (0.8 + 0.4 * this.#options.random());
  }

  async #ring(
    remedy: ReconcilerRemedy,
    patience: RepeatDelays,
    find: (within: StuckRunsLimit) => Promise<readonly StuckRun[]>,
    forMs: number,
  ): Promise<void> {
    const found = await find({ forMs, limit: timing.batch });
    await this.#ringFor(remedy, this.#dueAmong(found, patience));
  }

  #dueAmong(found: readonly StuckRun[], patience: RepeatDelays): readonly StuckRun[] {
    const due = new Set(
      patience.due(
        found.map(({ runId }) => runId),
        this.#options.clock.monotonic(),
      ),
    );
    return found.filter(({ runId }) => due.delete(runId));
  }

  async #ringFor(remedy: ReconcilerRemedy, runs: readonly StuckRun[]): Promise<void> {
    if (runs.length === 0) return;
    this.#options.onRemedy(remedy, runs.length);
    await this.#options.bell.ring(runs.map(({ runId, priority }) => ({ runId, priority })));
  }

  /** Sends the hint to the worker that drives the run, and rings for any worker in case none does. */
  async #hintAtCancellations({ hasCancelling }: RunsAtWork): Promise<void> {
    const { store, bus } = this.#options;
    const found = hasCancelling ? await cancellingRuns(store, timing.batch) : [];
    const runs = this.#dueAmong(found, this.#cancelling);
    if (runs.length === 0) return;
    const positions = await lastPositions(
      store,
      runs.map(({ runId }) => runId),
    );
    for (const [runId, seq] of positions) bus.publish({ runId, seq });
    await this.#ringFor('hinted-cancel', runs);
  }

  async #notifyParents({ hasEndedChildren }: RunsAtWork, isThorough: boolean): Promise<void> {
    const { store } = this.#options;
    const sinceMs = isThorough ? undefined : timing.sinceMs;
    const isNeeded = isThorough || hasEndedChildren;
    const within = { forMs: timing.headStartMs, sinceMs, limit: timing.batch };
    const found = isNeeded ? await unnotifiedChildren(store, within) : [];
    const children = this.#dueAmong(found, this.#unnotified);
    if (children.length > 0) this.#options.onRemedy('told-parent', children.length);
    await runEach(
      children.map(
        ({ runId }) =>
          () =>
            notifyParentOf(this.#options, runId),
      ),
    );
  }

  /** Wakes the next run in line of concurrency keys whose last run ended without doing so. */
  async #passTurns({ hasTurns }: RunsAtWork, isThorough: boolean): Promise<void> {
    if (!hasTurns) return;
    const { store } = this.#options;
    const keys = await unpassedTurns(store, { forMs: timing.headStartMs, limit: timing.batch, isThorough });
    for (const key of keys) {
      const next = await passTurns(store, key);
      if (next.length === 0) continue;
      this.#options.onRemedy('passed-turn', next.length);
      await this.#options.bell.ring(next);
    }
  }

  async #forgetWorkers(): Promise<void> {
    const now = this.#options.clock.monotonic();
    if (now < this.#forgetAt) return;
    this.#forgetAt = now + timing.forgetEveryMs;
    await forgetWorkers(this.#options.store, timing.forgetMs);
  }
}

const findsNone = async (): Promise<readonly StuckRun[]> => [];

/** Runs all tasks, one after the other. Rejects at the end with the first error, at once with an `InvariantError`. */
async function runEach(all: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const one of all) {
    await one().catch((error: unknown) => {
      if (error instanceof InvariantError) throw error;
      failures.push(error);
    });
  }
  if (failures.length > 0) throw failures[0];
}
