/** Sums what models cost, by day, workflow, model and who requested the run. */
import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { workflowCondition } from '../database/workflowConditions.ts';

export type CostGroup = 'day' | 'workflow' | 'model' | 'by';

export interface CostFilter {
  /** Days in UTC, as `2026-11-30`; `to` is the last of them. */
  readonly from: string;
  readonly to: string;
  /** A pattern of workflows. */
  readonly workflow?: string | undefined;
  /** Patterns: only of these workflows; absent: of all. */
  readonly workflows?: readonly string[] | undefined;
}

export interface Cost extends Readonly<Partial<Record<CostGroup, string>>> {
  readonly answers: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
  readonly estimated: number;
  readonly unpriced: number;
  readonly unknown: number;
}

const columns: Readonly<Record<CostGroup, string>> = {
  day: 'to_char(day, \'YYYY-MM-DD\') as "day"',
  workflow: 'workflow',
  model: 'model',
  by: 'by',
};

const sums = `sum(answers)::float8 as answers, sum(input_tokens)::float8 as "inputTokens",
  sum(output_tokens)::float8 as "outputTokens", sum(usd) as usd, sum(estimated)::float8 as estimated,
  sum(unpriced)::float8 as unpriced, sum(unknown)::float8 as unknown`;

/** The dearest first, within each day. Without groups there is one sum. Rejects with `UnavailableError`. */
export function sumCosts(
  { pool }: Database,
  { from, to, workflow, workflows }: CostFilter,
  groups: readonly CostGroup[],
  most: number,
): Promise<Cost[]> {
  const order = [...(groups.includes('day') ? ['day'] : []), 'usd desc', 'sum(input_tokens + output_tokens) desc'];
  const grouped =
    groups.length === 0 ? 'having count(*) > 0' : `group by ${groups.map((name) => `cost_day.${name}`).join(', ')}`;
  const values: unknown[] = [from, to, most];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const selected = [workflow === undefined ? undefined : [workflow], workflows].flatMap(
    (patterns) => (patterns && workflowCondition('workflow', patterns, bind)) ?? [],
  );
  return queryRows<Cost>(
    pool,
    `select ${[...groups.map((name) => columns[name]), sums].join(', ')} from cost_day
     where ${['day between $1::date and $2::date', ...selected].join(' and ')}
     ${grouped} order by ${[...order, ...groups.map((name) => `cost_day.${name}`)].join(', ')} limit $3`,
    values,
  );
}
