/**
 * Keeps runs within the budgets of a day or a month, over all processes. Postgres holds what was used, written in the
 * transaction of the event that used it, and each question reads it anew. So only calls under way at once exceed a budget.
 */
import type { ChargedCall, Failure, Path } from '@baton/engine';
import { matchesWorkflow } from '@baton/language';
import type { CallBudgets, Channels, Clock } from '@baton/runner';
import { type Budget, type BudgetUnit, type Store, budgetSpan, readBudgets } from '@baton/store';

import { type SpentBudget, budgetSpent, spentFailure, spentIn, spentText } from './spentBudget.ts';
import { UsageReads } from './usageReads.ts';

export interface BudgetGuardOptions {
  readonly store: Store;
  readonly channels: Channels;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
}

/** The word of another process that a budget has changed may be lost: the budgets are read again after so long. */
const rememberMs = 10_000;

const unitsOf: Readonly<Record<ChargedCall['kind'], readonly BudgetUnit[]>> = {
  model: ['usd', 'tokens'],
  write: ['writes'],
};

export class BudgetGuard implements CallBudgets {
  readonly #options: BudgetGuardOptions;
  readonly #usage: UsageReads;
  readonly #stopListening: () => void;
  /** `at`: monotonic. */
  #known: { readonly budgets: readonly Budget[]; readonly at: number } | undefined;
  /** Counts what was heard: a read that began before is outdated. */
  #changes = 0;

  constructor(options: BudgetGuardOptions) {
    this.#options = options;
    this.#usage = new UsageReads(options.store);
    this.#stopListening = options.channels.listen('budgets', () => this.#forget());
  }

  async close(): Promise<void> {
    this.#stopListening();
  }

  /** Call it after a change, in the process that made it. */
  changed(): void {
    this.#forget();
    this.#options.channels.send('budgets', '');
  }

  /**
   * Before a run is accepted. Undefined: no budget holds for the workflow. Rejects with `ProblemError` where one is spent,
   * and with `UnavailableError`.
   */
  checkStart(workflow: string): Promise<void> | undefined {
    const budgets = this.#budgetsOf(workflow);
    if (Array.isArray(budgets) && budgets.length === 0) return undefined;
    return this.#checkStart(workflow, budgets);
  }

  async refusedChild(workflow: string): Promise<string | undefined> {
    const spent = await this.#spent(await this.#budgetsOf(workflow));
    return spent && spentText(spent);
  }

  async refused(workflow: string, calls: readonly ChargedCall[]): Promise<ReadonlyMap<Path, Failure>> {
    const refused = new Map<Path, Failure>();
    const budgets = await this.#budgetsOf(workflow);
    for (const budget of budgets) {
      const usage = await this.#usageOf(budget);
      let writes = usage.writes;
      for (const { path, kind } of calls) {
        if (refused.has(path)) continue;
        const spent = spentIn(budget, { ...usage, writes }, this.#options.clock.now(), unitsOf[kind]);
        if (spent !== undefined) refused.set(path, spentFailure(spent, path));
        else if (kind === 'write') writes += 1;
      }
    }
    return refused;
  }

  async #checkStart(workflow: string, budgets: readonly Budget[] | Promise<readonly Budget[]>): Promise<void> {
    const spent = await this.#spent(await budgets);
    if (spent !== undefined) throw budgetSpent(spent, workflow, this.#options.clock.now());
  }

  async #spent(budgets: readonly Budget[]): Promise<SpentBudget | undefined> {
    for (const budget of budgets) {
      const spent = spentIn(budget, await this.#usageOf(budget), this.#options.clock.now());
      if (spent !== undefined) return spent;
    }
    return undefined;
  }

  #usageOf({ on, per }: Budget): ReturnType<UsageReads['read']> {
    return this.#usage.read(on, budgetSpan(per, this.#options.clock.now()));
  }

  #budgetsOf(workflow: string): readonly Budget[] | Promise<readonly Budget[]> {
    const matching = (all: readonly Budget[]): readonly Budget[] =>
      all.length === 0 ? all : all.filter(({ on }) => matchesWorkflow([on], workflow));
    const known = this.#known;
    const isFresh = known !== undefined && this.#options.clock.monotonic() - known.at < rememberMs;
    return isFresh ? matching(known.budgets) : this.#read().then(matching);
  }

  async #read(): Promise<readonly Budget[]> {
    const { store, clock } = this.#options;
    const changes = this.#changes;
    const at = clock.monotonic();
    const budgets = await readBudgets(store);
    if (changes === this.#changes) {
      this.#known = { budgets, at };
      store.usage.isOn = budgets.length > 0;
    }
    return budgets;
  }

  #forget(): void {
    this.#changes += 1;
    this.#known = undefined;
    this.#options.store.usage.isOn = true;
  }
}
