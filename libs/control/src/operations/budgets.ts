/** Operations of budgets over time: list, set, remove. */
import { type Budget as BudgetAnswer, type Received, ProblemError, budgetNameForm, instant, routes } from '@baton/api';
import { coversPattern, matchesWorkflow, sessionWorkflow } from '@baton/language';
import type { Clock } from '@baton/runner';
import {
  type Budget,
  type BudgetUnit,
  type Store,
  budgetSpan,
  budgetUnits,
  putBudget,
  readBudgets,
  readUsage,
  removeBudget as removeStored,
} from '@baton/store';

import type { BudgetGuard } from '../budgets/budgetGuard.ts';
import { shownAmount } from '../budgets/spentBudget.ts';
import { unmatchedText } from '../budgets/unmatchedText.ts';
import { reachOf } from '../keys/keyAccess.ts';
import { ofInstallation, operation } from './operation.ts';
import { allReached } from './reach.ts';

interface BudgetParts {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly budgets: Pick<BudgetGuard, 'changed'>;
}

interface ByName {
  readonly name: string;
}

const budgetsMax = 200;

export const listBudgets = operation(routes.listBudgets, {
  values: 'none',
  reach: allReached,
  effects: 'none',
  perform: async ({ store, clock }: Pick<BudgetParts, 'store' | 'clock'>, caller, _input: unknown) => {
    const reached = reachOf(caller);
    const all = await readBudgets(store);
    const shown = all.filter(({ on }) => reached === undefined || coversPattern(reached, on));
    return { data: await Promise.all(shown.map((one) => shownBudget(store, one, clock.now()))) };
  },
});

export const setBudget = ofInstallation(
  routes.setBudget,
  async (
    { store, clock, budgets }: BudgetParts,
    { name, on, per, ...limits }: ByName & Received<typeof routes.setBudget>['body'],
    { by },
  ) => {
    await checkTerms(store, name, on);
    const most = budgetUnits.flatMap((unit): [BudgetUnit, number][] => {
      const limit = limits[unit];
      return limit === undefined ? [] : [[unit, limit]];
    });
    const { budget, isNew } = await putBudget(store, { name, on, per, limits: Object.fromEntries(most), by });
    budgets.changed();
    return { budget: await shownBudget(store, budget, clock.now(), true), isNew };
  },
);

export const removeBudget = ofInstallation(
  routes.removeBudget,
  async ({ store, budgets }: Omit<BudgetParts, 'clock'>, { name }: ByName, { by }): Promise<void> => {
    if (!(await removeStored(store, name, by)))
      throw new ProblemError('not-found', `There is no budget ${JSON.stringify(name.slice(0, 80))}.`);
    budgets.changed();
  },
);

/** Rejects with `ProblemError`. */
async function checkTerms(store: Store, name: string, on: string): Promise<void> {
  if (!budgetNameForm.test(name))
    throw wrong('?name', 'The name of a budget begins with a letter or a digit, and has letters, digits, _, . and -.');
  if (on !== '*' && matchesWorkflow([on], sessionWorkflow))
    throw wrong('/on', `"${on}" is no workflow: only "*" holds for sessions at the gateway.`);
  const all = await readBudgets(store);
  if (all.length >= budgetsMax && !all.some((one) => one.name === name))
    throw new ProblemError(
      'conflict',
      `There are ${budgetsMax} budgets, the most that there may be. Remove one first.`,
    );
}

const wrong = (pointer: string, message: string): ProblemError =>
  new ProblemError('validation-failed', message, { errors: [{ pointer, code: 'wrong-value', message }] });

async function shownBudget(
  store: Store,
  { name, on, per, limits, setBy, setAt }: Budget,
  nowMs: number,
  isNearestNamed = false,
): Promise<BudgetAnswer> {
  const span = budgetSpan(per, nowMs);
  const [usage, warning] = await Promise.all([readUsage(store, on, span), unmatchedText(store, on, isNearestNamed)]);
  return {
    name,
    on,
    per,
    limits: budgetUnits.flatMap((unit) => {
      const most = limits[unit];
      return most === undefined ? [] : [{ unit, most, spent: shownAmount(usage[unit]) }];
    }),
    since: instant(span.since),
    until: instant(span.until),
    setBy,
    setAt: instant(setAt),
    ...(warning === undefined ? {} : { warning }),
  };
}
