/** What models cost. */
import { type Costs, type Received, ProblemError, routes } from '@baton/api';
import { defined } from '@baton/primitives';
import type { Clock } from '@baton/runner';
import { type Cost, type CostGroup, type Store, sumCosts } from '@baton/store';

import { reachOf } from '../keys/keyAccess.ts';
import { operation } from './operation.ts';
import { allReached } from './reach.ts';

const shownMax = 5_000;
const dayMs = 86_400_000;
const daysUsual = 30;

interface Parts {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
}

export const getCosts = operation(routes.getCosts, {
  values: 'none',
  reach: allReached,
  effects: 'none',
  perform: async (
    { store, clock }: Parts,
    caller,
    { by = ['model'], workflow, ...span }: Received<typeof routes.getCosts>['query'],
  ): Promise<Costs> => {
    // The end is not part of the span.
    const last = span.to === undefined ? clock.now() : span.to - 1;
    const first = span.from ?? last - (daysUsual - 1) * dayMs;
    if (first > last) {
      const message = '"from" must be earlier than "to".';
      throw new ProblemError('validation-failed', message, {
        errors: [{ pointer: '?from', code: 'wrong-value', message }],
      });
    }
    const [from, to] = [dayOf(first), dayOf(last)];
    const filter = { from, to, ...defined({ workflow, workflows: reachOf(caller) }) };
    const groups = [...new Set(by.map((name): CostGroup => (name === 'key' ? 'by' : name)))];
    const [found, [total = nothing]] = await Promise.all([
      sumCosts(store, filter, groups, shownMax + 1),
      sumCosts(store, filter, [], 1),
    ]);
    return {
      from,
      to,
      data: found.slice(0, shownMax).map(shownCost),
      total: sumsOf(total),
      ...(found.length > shownMax ? { cut: true as const } : {}),
    };
  },
});

const nothing: Cost = {
  answers: 0,
  inputTokens: 0,
  outputTokens: 0,
  usd: 0,
  estimated: 0,
  unpriced: 0,
  unknown: 0,
};

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const shownCost = ({ day, workflow, model, by: key, ...sums }: Cost): Costs['data'][number] => ({
  ...defined({ day, workflow, model, key }),
  ...sumsOf(sums),
});

/** Dollars are sums of fractions: more digits than these are noise. */
function sumsOf({ answers, inputTokens, outputTokens, usd, estimated, unpriced, unknown }: Cost): Costs['total'] {
  return {
    answers,
    inputTokens,
    outputTokens,
    usd: Number(usd.toFixed(9)),
    ...(estimated > 0 ? { estimated } : {}),
    ...(unpriced > 0 ? { unpriced } : {}),
    ...(unknown > 0 ? { unknown } : {}),
  };
}
