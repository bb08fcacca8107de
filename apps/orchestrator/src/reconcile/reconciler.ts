/**
 * Makes good what a queue, a worker or an orchestrator failed to do: rings again for runs that ought to move, hints again
 * at cancellations, tells parents again of children that are over.
 *
 * Every orchestrator runs one, without knowing of the others: all that it does may be done twice, and nothing that it
 * does decides anything. Whether a run moves is found out by the worker that takes the bell.
 */
import { replay } from '@baton/engine';
import type { Bell, Bus, Clock, Journal } from '@baton/runner';
import { liveness, tellParent, UnavailableError } from '@baton/runner';
import type { NeedsAttention, Store } from '@baton/store';
import {
  cancellingRuns,
  dueRuns,
  forgetWorkers,
  lastPositions,
  passTurns,
  silentRuns,
  unpassedTurns,
  untoldChildren,
} from '@baton/store';

import { Patience } from './patience.ts';
import { timing } from './timing.ts';

export type Remedy = 'rung-due' | 'rung-silent' | 'hinted-cancel' | 'told-parent' | 'passed-turn';

export interface ReconcilerOptions {
  readonly store: Store;
  readonly journal: Journal;
  readonly bell: Bell;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly random: () => number;
  /** Told of what was done for how many runs. */
  readonly onRemedy: (remedy: Remedy, runs: number) => void;
  /** Told of looks that failed because something is away. */
  readonly onTrouble: (error: UnavailableError) => void;
}

export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #due = new Patience(timing.patienceMs);
  readonly #silent = new Patience(timing.patienceMs);
  readonly #cancelling = new Patience(timing.patienceMs);
  readonly #untold = new Patience(timing.patienceMs);
  #cancelTimer: () => void = () => undefined;
  #looking: Promise<void> = Promise.resolve();
  #failures = 0;
  #forgetAt = 0;
  #isClosed = false;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#schedule(timing.everyMs);
  }

  /** Resolves when nothing is under way any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer();
    await this.#looking;
  }

  /** Looks once. Rejects with `UnavailableError` where Postgres or the queue is away; what needs neither is done. */
  async look(): Promise<void> {
    const { store } = this.#options;
    await doAll([
      () => this.#tellParents(),
      () => this.#passTurns(),
      () => this.#hintAtCancellations(),
      () => this.#ring('rung-silent', this.#silent, (within) => silentRuns(store, within), liveness.silentMs),
      () => this.#ring('rung-due', this.#due, (within) => dueRuns(store, within), timing.headStartMs),
      () => this.#forgetWorkers(),
    ]);
  }

  #schedule(ms: number): void {
    const { clock, random } = this.#options;
    const jittered = ms * (0.8 + 0.4 * random());
    this.#cancelTimer = clock.after(jittered, () => {
      this.#looking = this.#lookAndGoOn();
    });
  }

  async #lookAndGoOn(): Promise<void> {
    try {
      await this.look();
      this.#failures = 0;
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      this.#failures += 1;
      this.#options.onTrouble(error);
    }
    if (this.#isClosed) return;
    const { first, most } = timing.backoffMs;
    this.#schedule(this.#failures === 0 ? timing.everyMs : Math.min(first * 2 ** this.#failures, most));
  }

  async #ring(
    remedy: Remedy,
    patience: Patience,
    find: (within: { forMs: number; limit: number }) => Promise<readonly NeedsAttention[]>,
    forMs: number,
  ): Promise<void> {
    const found = await find({ forMs, limit: timing.batch });
    await this.#ringFor(remedy, this.#whoseTurn(found, patience));
  }

  #whoseTurn(found: readonly NeedsAttention[], patience: Patience): readonly NeedsAttention[] {
    const due = new Set(
      patience.due(
        found.map(({ runId }) => runId),
        this.#options.clock.monotonic(),
      ),
    );
    return found.filter(({ runId }) => due.delete(runId));
  }

  async #ringFor(remedy: Remedy, runs: readonly NeedsAttention[]): Promise<void> {
    if (runs.length === 0) return;
    this.#options.onRemedy(remedy, runs.length);
    await this.#options.bell.ring(runs.map(({ runId, priority }) => ({ runId, priority })));
  }

  /** To the worker that drives the run, should it have missed it; and to any, should none drive it. */
  async #hintAtCancellations(): Promise<void> {
    const { store, bus } = this.#options;
    const runs = this.#whoseTurn(await cancellingRuns(store, timing.batch), this.#cancelling);
    const positions = await lastPositions(
      store,
      runs.map(({ runId }) => runId),
    );
    for (const [runId, seq] of positions) bus.publish({ runId, seq });
    await this.#ringFor('hinted-cancel', runs);
  }

  async #tellParents(): Promise<void> {
    const { store, journal } = this.#options;
    const found = await untoldChildren(store, { forMs: timing.headStartMs, limit: timing.batch });
    const children = this.#whoseTurn(found, this.#untold);
    if (children.length > 0) this.#options.onRemedy('told-parent', children.length);
    const tell = async (runId: string): Promise<void> => {
      const opened = await journal.open(runId);
      if (opened !== undefined) await tellParent(this.#options, replay(runId, opened.events));
    };
    await doAll(
      children.map(
        ({ runId }) =>
          () =>
            tell(runId),
      ),
    );
  }

  /** Whose run ended without a word to the next in line. */
  async #passTurns(): Promise<void> {
    const { store } = this.#options;
    const keys = await unpassedTurns(store, { forMs: timing.headStartMs, limit: timing.batch });
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

/** One after the other, all of them. Rejects at the end with the first `UnavailableError`, at once with anything else. */
async function doAll(all: readonly (() => Promise<void>)[]): Promise<void> {
  let away: UnavailableError | undefined;
  for (const one of all) {
    await one().catch((error: unknown) => {
      if (!(error instanceof UnavailableError)) throw error;
      away ??= error;
    });
  }
  if (away !== undefined) throw away;
}
