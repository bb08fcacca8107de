import { expect, test } from 'vitest';

import { budgetSpent } from './spentBudget.ts';

test('The log of a start that a spent budget refuses names the budget and the workflow.', () => {
  const until = Date.parse('2026-12-01T00:00:00Z');
  const budget = { name: 'shop', on: 'shop/*', per: 'month', limits: { runs: 1 }, setBy: 'ann', setAt: 0 } as const;
  const refusal = budgetSpent({ budget, unit: 'runs', spent: 1, most: 1, until }, 'shop/pay', until - 90_000);
  expect(refusal.logged).toEqual({ workflow: 'shop/pay', budget: 'shop' });
  expect(refusal.headers).toEqual({ 'retry-after': '90' });
});
