/** Computes what steps and runs spend, and compares it with their budgets. */
import type { Budget } from '@baton/language';
import { defined } from '@baton/primitives';

import type { RunEvent, Usage } from './event.ts';
import type { Run } from './run.ts';
import type { Spending } from './spending.ts';

/** What an event reports as spent; undefined: nothing. */
export function costOf(event: RunEvent): Spending | undefined {
  switch (event.type) {
    case 'step.started':
      return event.call?.verb === 'tool' ? { toolCalls: 1, tokens: 0, usd: 0 } : undefined;
    case 'step.waiting':
      return event.missedTurn && event.verb === 'tool' ? { toolCalls: -1, tokens: 0, usd: 0 } : undefined;
    case 'step.succeeded':
    case 'step.failed':
    case 'step.retrying':
      return event.usage && priceOf(event.usage);
    case 'child.finished':
      return event.spent;
    default:
      return undefined;
  }
}

export const priceOf = ({ inputTokens = 0, outputTokens = 0, usd = 0 }: Usage): Spending => ({
  toolCalls: 0,
  tokens: inputTokens + outputTokens,
  usd,
});

export function plus<T extends Spending | undefined>(before: T, cost: Spending | undefined): T | Spending {
  if (cost === undefined) return before;
  if (before === undefined) return cost;
  const { toolCalls, tokens, usd } = before;
  return { toolCalls: toolCalls + cost.toolCalls, tokens: tokens + cost.tokens, usd: usd + cost.usd };
}

/** Describes an exceeded budget: `0.5 of 0.4 USD`. */
export function overBudget(budget: Budget | undefined, spent: Spending): string | undefined {
  if (budget === undefined) return undefined;
  const { usd = Infinity, tokens = Infinity, toolCalls = Infinity } = budget;
  const over = [
    spent.usd > usd ? `${spent.usd} of ${usd} USD` : undefined,
    spent.tokens > tokens ? `${spent.tokens} of ${tokens} tokens` : undefined,
    spent.toolCalls > toolCalls ? `more than ${toolCalls} tool calls` : undefined,
  ].filter((part) => part !== undefined);
  return over.length === 0 ? undefined : over.join(', ');
}

/** The rest of a budget, never below zero. */
export function remainingBudget(budget: Budget, spent: Spending): Budget {
  const { usd, tokens, toolCalls } = budget;
  return {
    ...(usd === undefined ? {} : { usd: Math.max(0, usd - spent.usd) }),
    ...(tokens === undefined ? {} : { tokens: Math.max(0, tokens - spent.tokens) }),
    ...(toolCalls === undefined ? {} : { toolCalls: Math.max(0, toolCalls - spent.toolCalls) }),
  };
}

/** The smaller of two budgets, part by part. */
export function smallerBudget(a: Budget | undefined, b: Budget | undefined): Budget | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const least = (x: number | undefined, y: number | undefined): number | undefined =>
    x === undefined || y === undefined ? (x ?? y) : Math.min(x, y);
  const usd = least(a.usd, b.usd);
  const tokens = least(a.tokens, b.tokens);
  const toolCalls = least(a.toolCalls, b.toolCalls);
  return defined({ usd, tokens, toolCalls });
}

/** How many more items the `forEach` steps of a run may have, never below zero; infinite without a limit. */
export const itemsLeft = ({ limits, itemCount }: Pick<Run, 'limits' | 'itemCount'>): number =>
  Math.max(0, (limits?.items ?? Infinity) - itemCount);

/** Whether a provider or a client has said a number of tokens; budgets and sums cannot take any other. */
export const isTokenCount = (said: unknown): said is number =>
  typeof said === 'number' && Number.isSafeInteger(said) && said >= 0 && said <= tokensMax;

/** Of one answer. */
const tokensMax = 1e9;
