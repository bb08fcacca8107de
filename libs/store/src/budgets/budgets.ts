/** What the workflows of a pattern may use in a day or a month, and what they have used (docs/budgets.md). */
import type { AuditedAction } from '@baton/api';
import type { JsonObject } from '@baton/primitives';

import { noteActionWithin } from '../audit/entries.ts';
import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { queryRows } from '../database/queryRows.ts';
import { inTransaction } from '../database/transaction.ts';
import { workflowCondition } from '../database/workflowConditions.ts';
import { checkStorable, isStorable } from '../journal/storableText.ts';

export const budgetUnits = ['usd', 'tokens', 'writes', 'runs'] as const;

export type BudgetUnit = (typeof budgetUnits)[number];

export type Usage = Readonly<Record<BudgetUnit, number>>;

export interface BudgetTerms {
  /** A pattern of workflows. */
  readonly on: string;
  readonly per: 'day' | 'month';
  /** At least one. */
  readonly limits: Readonly<Partial<Usage>>;
}

export interface Budget extends BudgetTerms {
  readonly name: string;
  readonly setBy: string;
  /** Epoch milliseconds. */
  readonly setAt: number;
}

/** Days in UTC, as `2026-11-30`. */
export interface UsageSpan {
  readonly first: string;
  /** Not part of it. */
  readonly end: string;
}

interface BudgetRow extends Record<BudgetUnit, number | null> {
  readonly name: string;
  readonly pattern: string;
  readonly per: 'day' | 'month';
  readonly setBy: string;
  readonly setAt: Date;
}

const columns = `name, pattern, per, usd, tokens::float8 as tokens, writes::float8 as writes, runs::float8 as runs,
  set_by as "setBy", set_at as "setAt"`;

/** In the order of their names. Rejects with `UnavailableError`. */
export async function readBudgets({ pool }: Pick<Database, 'pool'>): Promise<readonly Budget[]> {
  return (await queryRows<BudgetRow>(pool, `select ${columns} from budget order by name collate "C"`)).map(asBudget);
}

/** `isNew`: there was none of that name. Its notices are told anew. Rejects with `UnavailableError`. */
export async function putBudget(
  { pool, auditKeys, now }: Database,
  { name, on, per, limits, by }: BudgetTerms & { readonly name: string; readonly by: string },
): Promise<{ readonly budget: Budget; readonly isNew: boolean }> {
  checkStorable('budget', name, on, by);
  const text = `insert into budget (name, pattern, per, usd, tokens, writes, runs, set_by)
    values ($1, $2, $3, $4, $5, $6, $7, $8)
    on conflict (name) do update set pattern = excluded.pattern, per = excluded.per, usd = excluded.usd,
      tokens = excluded.tokens, writes = excluded.writes, runs = excluded.runs, set_by = excluded.set_by, set_at = now()
    returning ${columns}, xmax = 0 as "isNew"`;
  const most = budgetUnits.map((unit) => limits[unit] ?? null);
  return inTransaction(pool, async (client) => {
    const [row] = await queryRows<BudgetRow & { isNew: boolean }>(client, text, [name, on, per, ...most, by]);
    if (row === undefined) throw new Error('an insert returns its row');
    await queryRows(client, 'delete from budget_notice where budget = $1', [name]);
    const detail = { on, per, ...limits };
    await note({ auditKeys, now }, client, { by, action: 'budget.set', target: name, detail });
    return { budget: asBudget(row), isNew: row.isNew };
  });
}

/** False: there is none of that name. Rejects with `UnavailableError`. */
export async function removeBudget({ pool, auditKeys, now }: Database, name: string, by: string): Promise<boolean> {
  if (!isStorable(name)) return false;
  return inTransaction(pool, async (client) => {
    const removed = await queryRows(client, 'delete from budget where name = $1 returning name', [name]);
    if (removed.length === 0) return false;
    await queryRows(client, 'delete from budget_notice where budget = $1', [name]);
    await note({ auditKeys, now }, client, { by, action: 'budget.removed', target: name });
    return true;
  });
}

/** What the workflows of the pattern have used. Rejects with `UnavailableError`. */
export async function readUsage(
  { pool }: Pick<Database, 'pool'>,
  pattern: string,
  { first, end }: UsageSpan,
): Promise<Usage> {
  const values: unknown[] = [first, end];
  const matches = workflowCondition('workflow', [pattern], (value) => `$${values.push(value)}`);
  const which = `where day >= $1::date and day < $2::date${matches === undefined ? '' : ` and ${matches}`}`;
  const [usage] = await queryRows<Usage>(
    pool,
    `select * from (
       select coalesce(sum(usd), 0) as usd, coalesce(sum(input_tokens + output_tokens), 0)::float8 as tokens
       from cost_day ${which}) as cost,
     (select coalesce(sum(writes), 0)::float8 as writes, coalesce(sum(runs), 0)::float8 as runs
       from usage_day ${which}) as usage`,
    values,
  );
  if (usage === undefined) throw new Error('a sum is one row');
  return usage;
}

export interface BudgetNotice {
  readonly budget: string;
  readonly unit: BudgetUnit;
  /** The first day. */
  readonly since: string;
  /** How many hundredths are used. */
  readonly share: 80 | 100;
  readonly detail: JsonObject;
}

/**
 * Writes an entry of the audit for each that no process has told, and resolves to these. None for a budget that is gone.
 * Rejects with `UnavailableError`.
 */
export async function tellBudgets(
  { pool, auditKeys, now }: Database,
  notices: readonly BudgetNotice[],
): Promise<readonly BudgetNotice[]> {
  return inTransaction(pool, async (client) => {
    const told: BudgetNotice[] = [];
    for (const notice of notices) {
      const { budget, unit, since, share } = notice;
      // The share locks out a removal that would leave the notice behind.
      const rows = await queryRows(
        client,
        `insert into budget_notice (budget, unit, since, share)
         select name, $2, $3::date, $4 from budget where name = $1 for share on conflict do nothing returning share`,
        [budget, unit, since, share],
      );
      if (rows.length > 0) told.push(notice);
    }
    for (const { budget: target, share, detail } of told) {
      const action = share === 100 ? 'budget.spent' : 'budget.warned';
      await note({ auditKeys, now }, client, { by: 'budgets', action, target, detail });
    }
    return told;
  });
}

const note = (
  noting: Pick<Database, 'auditKeys' | 'now'>,
  client: Parameters<typeof noteActionWithin>[0],
  action: { by: string; action: AuditedAction; target: string; detail?: JsonObject },
): Promise<void> => noteActionWithin(client, noting, action).catch(rethrowUnavailable);

function asBudget({ name, pattern: on, per, setBy, setAt, ...row }: BudgetRow): Budget {
  const limits = Object.fromEntries(
    budgetUnits.flatMap((unit) => (row[unit] === null ? [] : [[unit, row[unit]] as const])),
  );
  return { name, on, per, limits, setBy, setAt: setAt.getTime() };
}
