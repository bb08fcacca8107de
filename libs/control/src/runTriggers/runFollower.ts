/**
 * Starts runs for others that end, wait for long or spend much, as `on: run` says. Every orchestrator follows; each end
 * is read once.
 */
import { ProblemError } from '@baton/api';
import { EvaluationError } from '@baton/expressions';
import { type RunTrigger, matchesWorkflow } from '@baton/language';
import { type Json, type JsonObject, canonicalJson } from '@baton/primitives';
import { type Clock, type Plans, type TaskTrouble, BackgroundTask, UnavailableError } from '@baton/runner';
import { type EndedRun, type SeenRuns, type Store, type Streaks, followRuns, forgetRunEnds } from '@baton/store';

import type { DeployedTrigger, DeployedTriggers } from '../deploy/deployedTriggers.ts';
import type { MadeRequest, RunStarter } from '../intake/starter.ts';
import { triggerPrincipal } from '../keys/triggerPrincipal.ts';
import { BudgetWatch } from './budgetWatch.ts';

export interface RunFollowerOptions {
  readonly store: Store;
  readonly deployed: DeployedTriggers;
  readonly starter: Pick<RunStarter, 'prepare' | 'prepared'>;
  /** Of the runs that spend. */
  readonly plans: Plans;
  readonly clock: Clock;
  /** Before `/runs/ID`. */
  readonly pageUrl: string;
  /** Called where a run starts no other one although a trigger wanted it. */
  readonly onRefused: (trigger: string, runId: string, reason: string) => void;
  readonly onTrouble: TaskTrouble;
}

type DeployedRunTrigger = DeployedTrigger<RunTrigger>;

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
      const made: MadeRequest[] = [];
      const followed = await followRuns(store, {
        decide: async (seen) => {
          for (const one of seen.ends) made.push(...(await this.#startsFor(rows, one, seen.streaks)));
          for (const [one, row] of rows) made.push(...(await this.#startsInstead(one, row, seen, budgets)));
          return made;
        },
        waits: watches,
        wantsSpending: this.#wantsOf(budgets),
        kept: counting === this.#counting ? undefined : [...rows.values()],
      });
      if (followed !== undefined) this.#counting = counting;
      for (const request of made) this.#tell(request, followed?.outcomes.get(request.runId)?.kind === 'created');
      isMore = followed?.isMore === true;
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

  async #startsFor(rows: TriggerRows, ended: EndedRun, streaks: Streaks): Promise<MadeRequest[]> {
    const made: MadeRequest[] = [];
    for (const [one, row] of rows) {
      const { of, waitsFor } = one.trigger;
      if (waitsFor.kind !== 'end' || !matchesWorkflow([of], ended.workflow)) continue;
      const { statuses, after } = waitsFor;
      const isMeant = statuses.includes(ended.end.status);
      const before = after === 1 ? 0 : streaks.get(row, ended.workflow);
      const isDue = isMeant && before === after - 1;
      const request = isDue ? await this.#requestFor(one, this.#endOf(ended)) : undefined;
      if (request !== undefined) made.push(request);
      if (after === 1) continue;
      const count = countAfter({ isMeant, before, after, isStarted: request !== undefined });
      if (count !== before) streaks.set(row, ended.workflow, count);
    }
    return made;
  }

  /** Of a trigger that does not wait for ends. */
  async #startsInstead(
    one: DeployedRunTrigger,
    row: string,
    seen: SeenRuns,
    budgets: BudgetWatch,
  ): Promise<MadeRequest[]> {
    const made: MadeRequest[] = [];
    for (const { since, questions, ...run } of seen.waits.get(row) ?? []) {
      if (!matchesWorkflow([one.trigger.of], run.workflow)) continue;
      const event = { status: 'waiting', since: new Date(since).toISOString(), questions };
      const request = await this.#requestFor(one, { ...run, event });
      if (request !== undefined) made.push(request);
    }
    for (const run of seen.spending) {
      if (seen.isNoticed(row, run.runId) || !(await budgets.isReached(one, run))) continue;
      const event = { status: run.isOver ? 'ended' : 'running', spent: run.spent };
      const request = await this.#requestFor(one, { ...run, event });
      if (request === undefined) continue;
      seen.notice(row, run.runId);
      made.push(request);
    }
    return made;
  }

  /** What fails for this trigger alone starts nothing, and keeps no other trigger from starting its run. */
  #requestFor(one: DeployedRunTrigger, seen: SeenRun): Promise<MadeRequest | undefined> {
    return this.#rounds.tryRow(`${one.workflow}.${one.trigger.key}`, () => this.#tryRequestFor(one, seen));
  }

  async #tryRequestFor(one: DeployedRunTrigger, seen: SeenRun): Promise<MadeRequest | undefined> {
    const { starter, onRefused } = this.#options;
    const { workflow, version, trigger } = one;
    const { runId: run } = seen;
    const event = {
      run,
      workflow: seen.workflow,
      error: null,
      url: `${this.#options.pageUrl}/runs/${run}`,
      ...seen.event,
    };
    const by = `run ${workflow}.${trigger.key}`;
    try {
      if (trigger.if !== undefined && trigger.if.evaluate({ event }) !== true) return undefined;
      const inputs = trigger.inputs.evaluate({ event });
      const make = await starter.prepare({ workflow, version }, triggerPrincipal(by, workflow));
      const detail = { run, workflow: seen.workflow, status: seen.event.status };
      return make({ inputs, trigger: { kind: 'run', detail } });
    } catch (error) {
      if (error instanceof ProblemError && error.status >= 500)
        throw new UnavailableError(error.message, { cause: error });
      if (!(error instanceof ProblemError) && !(error instanceof EvaluationError)) throw error;
      onRefused(by, run, error.message);
      return undefined;
    }
  }

  #endOf({ runId, workflow, end }: EndedRun): SeenRun {
    const { status } = end;
    const error = 'failure' in end ? { code: end.failure.code, message: end.failure.message } : null;
    return { runId, workflow, event: { status, error } };
  }
}

/** A run that starts another one. `event`: what is particular about it. */
interface SeenRun {
  readonly runId: string;
  readonly workflow: string;
  readonly event: JsonObject & { readonly status: string };
}

/** The row of each trigger in which its ends are counted. */
type TriggerRows = ReadonlyMap<DeployedRunTrigger, string>;

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

interface CountedEnd {
  readonly isMeant: boolean;
  readonly before: number;
  readonly after: number;
  readonly isStarted: boolean;
}

/** The whole number once the row has started a run; until then one end is missing, so the next one that can starts it. */
function countAfter({ isMeant, before, after, isStarted }: CountedEnd): number {
  if (!isMeant) return 0;
  return isStarted ? after : Math.max(before, Math.min(before + 1, after - 1));
}
