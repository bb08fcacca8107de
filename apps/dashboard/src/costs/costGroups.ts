/** Groups sums by day for the plot and the table. */
import type { Cost } from '@baton/api/client';

import { dollarsText, tokensText } from '../parts/money.ts';

export type Grouped = 'model' | 'workflow' | 'key';

export interface CostGroup extends Omit<Cost, 'day' | 'model' | 'workflow' | 'key'> {
  readonly name: string;
  /** In the order of the days. */
  readonly days: readonly Cost[];
}

const dayMs = 86_400_000;

/** Every day from the first to the last, in UTC. */
function daysFrom(from: string, to: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += dayMs) days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}

/** At least so many days are in the plot. */
const daysMin = 14;

/** Without the days before the first one that cost something. */
export function daysShown(costs: readonly Pick<Cost, 'day'>[], { from, to }: { from: string; to: string }): string[] {
  const days = daysFrom(from, to);
  const paid = new Set(costs.map(({ day }) => day));
  const first = days.findIndex((day) => paid.has(day));
  return days.slice(Math.max(0, Math.min(first, days.length - daysMin)));
}

/** The dearest first; of those without a price, the one with most tokens. */
export function groupCosts(costs: readonly Cost[], by: Grouped): CostGroup[] {
  const groups = Map.groupBy(costs, (cost) => cost[by] ?? '');
  return [...groups]
    .map(([name, days]) => ({ name, days, ...days.reduce(plus, nothing) }))
    .toSorted((a, b) => b.usd - a.usd || tokensOf(b) - tokensOf(a) || (a.name < b.name ? -1 : 1));
}

type Sums = Pick<Cost, 'answers' | 'inputTokens' | 'outputTokens' | 'usd' | 'unpriced' | 'unknown' | 'estimated'>;

const nothing: Sums = { answers: 0, inputTokens: 0, outputTokens: 0, usd: 0 };

const plus = (a: Sums, b: Sums): Sums => ({
  answers: a.answers + b.answers,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  usd: a.usd + b.usd,
  unpriced: (a.unpriced ?? 0) + (b.unpriced ?? 0),
  unknown: (a.unknown ?? 0) + (b.unknown ?? 0),
  estimated: (a.estimated ?? 0) + (b.estimated ?? 0),
});

export const tokensOf = ({ inputTokens, outputTokens }: Pick<Cost, 'inputTokens' | 'outputTokens'>): number =>
  inputTokens + outputTokens;

/** What was not counted is not 0. */
export function usdText({ usd, answers, unknown = 0, unpriced = 0 }: Sums): string {
  if (usd === 0 && answers > 0 && unknown === answers) return 'unknown';
  if (usd === 0 && answers > 0 && unknown + unpriced === answers) return 'no price';
  return dollarsText(usd);
}

export const knownTokensText = ({ answers, unknown }: Sums, tokens: number): string =>
  answers > 0 && unknown === answers ? 'unknown' : tokensText(tokens);
