/** The day, or the month, in UTC that an instant lies in: figures agree with those of costs. */
import type { UsageSpan } from './budgets.ts';

export interface BudgetSpan extends UsageSpan {
  /** Epoch milliseconds. */
  readonly since: number;
  readonly until: number;
}

export function budgetSpan(per: 'day' | 'month', nowMs: number): BudgetSpan {
  const now = new Date(nowMs);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const since = per === 'day' ? Date.UTC(year, month, day) : Date.UTC(year, month, 1);
  const until = per === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1);
  return { since, until, first: dayOf(since), end: dayOf(until) };
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
