/** A budget of which nothing is left, and how people are told. */
import { ProblemError, instant } from '@baton/api';
import type { Failure } from '@baton/engine';
import { type Budget, type BudgetUnit, type Usage, budgetSpan, budgetUnits } from '@baton/store';

export interface SpentBudget {
  readonly budget: Budget;
  readonly unit: BudgetUnit;
  readonly spent: number;
  readonly most: number;
  /** Epoch milliseconds. */
  readonly until: number;
}

/** The first unit of the budget of which nothing is left. `units`: those that what is asked for uses. */
export function spentIn(
  budget: Budget,
  usage: Usage,
  nowMs: number,
  units: readonly BudgetUnit[] = budgetUnits,
): SpentBudget | undefined {
  for (const unit of units) {
    const most = budget.limits[unit];
    if (most === undefined || usage[unit] < most) continue;
    return { budget, unit, spent: usage[unit], most, until: budgetSpan(budget.per, nowMs).until };
  }
  return undefined;
}

/** Dollars are sums of fractions: more digits than these are noise. */
export const shownAmount = (amount: number): number => Number(amount.toFixed(6));

/** `41.2 of 50 usd` */
const amountText = ({ unit, spent, most }: Pick<SpentBudget, 'unit' | 'spent' | 'most'>): string =>
  `${shownAmount(spent)} of ${most} ${unit === 'usd' ? 'USD' : unit}`;

export function spentText(spent: SpentBudget): string {
  const { budget, until } = spent;
  return `The budget ${budget.name} (${budget.on}, each ${budget.per}) is spent: ${amountText(spent)}, until ${instant(until)}.`;
}

/** Of a call that was not made. */
export const spentFailure = (spent: SpentBudget, step: string): Failure => ({
  code: 'budget-exceeded',
  message: `${spentText(spent)} The call was not made.`,
  details: { budget: spent.budget.name, unit: spent.unit, until: instant(spent.until) },
  step,
});

/** Of a run that was not accepted. */
export const budgetSpent = (spent: SpentBudget, workflow: string, nowMs: number): ProblemError =>
  new ProblemError('budget-spent', spentText(spent), {
    headers: { 'retry-after': String(Math.ceil((spent.until - nowMs) / 1_000)) },
    logged: { workflow, budget: spent.budget.name },
  });
