/**
 * Tells that a budget is nearly used up, and that it is used up: in the log and in the audit, once for each day or month,
 * over all orchestrators.
 */
import { instant } from '@baton/api';
import { type Clock, type TaskTrouble, BackgroundTask } from '@baton/runner';
import {
  type Budget,
  type BudgetNotice,
  type Store,
  budgetSpan,
  budgetUnits,
  readBudgets,
  readUsage,
  tellBudgets,
} from '@baton/store';

export interface BudgetNoticesOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly onTold: (notice: BudgetNotice) => void;
  readonly onTrouble: TaskTrouble;
}

const everyMs = 10_000;
const warnedShare = 0.8;

export class BudgetNotices {
  readonly #options: BudgetNoticesOptions;
  readonly #rounds: BackgroundTask;
  /** What was told, by any process, as far as this one knows. */
  #told: ReadonlySet<string> = new Set();

  constructor(options: BudgetNoticesOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    this.#rounds = new BackgroundTask({ name: 'budgets', clock, run: () => this.tick(), onTrouble });
  }

  start(): void {
    this.#rounds.start();
  }

  async close(): Promise<void> {
    await this.#rounds.close();
  }

  /** Rejects with `UnavailableError`. */
  async tick(): Promise<number> {
    const { store, onTold } = this.#options;
    const due = new Map<string, BudgetNotice>();
    for (const budget of await readBudgets(store))
      // One that was set anew is told anew.
      for (const notice of await this.#due(budget)) due.set(JSON.stringify([budget.setAt, notice]), notice);
    const news = [...due].filter(([key]) => !this.#told.has(key)).map(([, notice]) => notice);
    if (news.length > 0) for (const notice of await tellBudgets(store, news)) onTold(notice);
    this.#told = new Set(due.keys());
    return everyMs;
  }

  async #due({ name: budget, on, per, limits }: Budget): Promise<readonly BudgetNotice[]> {
    const { store, clock } = this.#options;
    const span = budgetSpan(per, clock.now());
    const usage = await readUsage(store, on, span);
    return budgetUnits.flatMap((unit): BudgetNotice[] => {
      const most = limits[unit];
      if (most === undefined || usage[unit] < warnedShare * most) return [];
      const share = usage[unit] < most ? 80 : 100;
      return [{ budget, unit, since: span.first, share, detail: { on, per, unit, most, until: instant(span.until) } }];
    });
  }
}
