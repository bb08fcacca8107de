import * as z from 'zod';

import { route } from '../route.ts';
import { BudgetSchema, BudgetsSchema, BudgetTermsSchema } from '../schemas/budget.ts';
import { ByNameSchema } from '../schemas/values.ts';

const tag = 'Budgets';

export const budgetRoutes = {
  listBudgets: route('listBudgets', {
    tag,
    summary: 'List budgets, and what is used of them',
    description: 'Ordered by name: those whose workflows the key may all see.',
    access: ['runs:read', 'runs:write'],
    answers: { 200: BudgetsSchema },
  }),
  setBudget: route('setBudget', {
    tag,
    summary: 'Set a budget',
    description: 'What was used of this day or month before counts too.',
    access: ['admin'],
    params: ByNameSchema,
    body: BudgetTermsSchema,
    answers: { 200: BudgetSchema, 201: BudgetSchema },
  }),
  removeBudget: route('removeBudget', {
    tag,
    summary: 'Remove a budget',
    access: ['admin'],
    params: ByNameSchema,
    answers: { 204: z.null() },
  }),
};
