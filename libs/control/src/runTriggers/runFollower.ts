/**
 * Starts runs for others that end, wait for long or spend much, as `on: run` says. Every orchestrator follows; each end
 * is read once.
 */
import type { RunTrigger } from '@baton/language';
import { type Json, canonicalJson } from '@baton/primitives';
import { type Clock, type Plans, type TaskTrouble, BackgroundTask, UnavailableError } from '@baton/runner';
import { type Store, followRuns, forgetRunEnds } from '@baton/store';

import type { DeployedTriggers } from '../deploy/deployedTriggers.ts';
import type { MadeRequest, RunStarter } from '../intake/starter.ts';
import { BudgetWatch } from './budgetWatch.ts';
import { type DeployedRunTrigger, RunDecisions, type TriggerRows } from './runDecisions.ts';

export interface RunFollowerOptions {
  readonly store: Store;
  readonly deployed: DeployedTriggers;
  readonly starter: Pick<RunStarter, 'prepare' | 'prepared' | 'roomOf'>;
  /** Of the runs that spend. */
  readonly plans: Plans;
  readonly clock: Clock;
  /** Before `/runs/ID`. */
  readonly pageUrl: string;
  /** Called where a run starts no other one although a trigger wanted it. */
  readonly onRefused: (trigger: string, runId: string, reason: string) => void;
  readonly onTrouble: TaskTrouble;
}

const everyMs = 2_000;

export class RunFollower {
  readonly #options: RunFollowerOptions;
  readonly #rounds: BackgroundTask;
  /** Nothing is remembered of ends that no trigger waited for. */
  #isIdle = false;
  /** The rows of all triggers, as they were last kept. */
  #counting = '';

  constructor(options: RunFollowerOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    this.#rounds = new BackgroundTask({ name: 'ends of runs', clock, run: () => this.tick(), onTrouble });
  }

  start(): void {
    this.#rounds.start();
  }

  async close(): Promise<void> {
    await this.#rounds.close();
  }

  /** Starts the runs for the ends so far. Rejects with `UnavailableError`. */
  async tick(): Promise<number> {
    const { store, deployed } = this.#options;
    await store.history.look();
    const fence = store.history.warning();
    if (fence !== undefined) throw new UnavailableError(fence);
    const triggers = await deployed.of('run');
    if (triggers.length === 0) {
      if (!this.#isIdle) await forgetRunEnds(store);
      this.#isIdle = true;
      return everyMs;
    }
    this.#isIdle = false;
    const rows = rowsOf(triggers);
    const counting = canonicalJson([...rows.values()]);
    const watches = [...rows].flatMap(([{ trigger }, row]) =>
      trigger.waitsFor.kind === 'wait' ? [{ trigger: row, waitingMs: trigger.waitsFor.waitingMs }] : [],
    );
    const budgets = new BudgetWatch(this.#options, triggers);
    for (let isMore = true; isMore && !this.#rounds.isClosed;) {
      const decisions = new RunDecisions({ ...this.#options, budgets, rounds: this.#rounds }, rows);
      let made: readonly MadeRequest[] = [];
      const followed = await followRuns(store, {
        decide: async (seen) => (made = await decisions.startsFor(seen)),
        waits: watches,
        wantsSpending: this.#wantsOf(budgets),
        kept: counting === this.#counting ? undefined : [...rows.values()],
      });
      // Another process was first, and tells.
      if (followed === undefined) break;
      this.#counting = counting;
      for (const { trigger, runId, reason } of decisions.refusals) this.#options.onRefused(trigger, runId, reason);
      for (const request of made) this.#tell(request, followed.outcomes.get(request.runId)?.kind === 'created');
      ({ isMore } = followed);
    }
    return everyMs;
  }

  /** A run whose definition was changed keeps no other one from being looked at. */
  #wantsOf({ wants }: BudgetWatch): BudgetWatch['wants'] {
    return (
      wants && (async (run) => (await this.#rounds.tryRow(`the budget of ${run.workflow}`, () => wants(run))) === true)
    );
  }

  #tell(request: MadeRequest, isStarted: boolean): void {
    if (isStarted) return this.#options.starter.prepared(request);
    const { by, trigger } = request.event;
    const ended = trigger.detail?.['run'];
    const which = typeof ended === 'string' ? ended : '';
    this.#options.onRefused(by, which, 'the concurrency limit of the workflow is reached');
  }
}

/** By what a trigger waits for: with another pattern, status or number it counts anew, and its place means nothing. */
function rowsOf(triggers: readonly DeployedRunTrigger[]): TriggerRows {
  const alike = new Map<string, number>();
  return new Map(
    triggers.map((one) => {
      const { of, waitsFor } = one.trigger;
      const row = `${one.workflow} ${canonicalJson([of, ...rowPart(waitsFor)])}`;
      const n = (alike.get(row) ?? 0) + 1;
      alike.set(row, n);
      return [one, n === 1 ? row : `${row} ${n}`];
    }),
  );
}

/** Stored: another form begins anew. */
function rowPart(waitsFor: RunTrigger['waitsFor']): readonly Json[] {
  switch (waitsFor.kind) {
    case 'end':
      return [waitsFor.statuses.toSorted(), waitsFor.after];
    case 'wait':
      return [{ waitingMs: waitsFor.waitingMs }];
    case 'spending':
      return [{ budgetShare: waitsFor.budgetShare }];
  }
}
