/** The filter of the list of runs, read from the address and written to it. */
import { type RunFilterName, runFilterNames } from '@baton/api/client';

import type { RunQuery } from '../api/queries.ts';
import { dayMs } from '../parts/time.ts';

const spans = { '1h': dayMs / 24, '24h': dayMs, '7d': 7 * dayMs, '30d': 30 * dayMs } as const;

export type Span = keyof typeof spans | 'all';

export const spanNames: Readonly<Record<Span, string>> = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  all: 'All time',
};

const usualSpan: Span = '7d';

type FilterName = Exclude<RunFilterName, 'from' | 'to'>;

const isNamed = (name: RunFilterName): name is FilterName => name !== 'from' && name !== 'to';

const names = runFilterNames.filter(isNamed);

export interface RunListFilter {
  readonly values: Readonly<Partial<Record<FilterName, readonly string[]>>>;
  readonly span: Span;
  /** Epoch milliseconds, chosen in the histogram. */
  readonly range: { readonly from: number; readonly to: number } | undefined;
}

const isSpan = (text: string | null): text is Span => text !== null && Object.hasOwn(spanNames, text);

export function readFilter(params: URLSearchParams): RunListFilter {
  const from = Number(params.get('from') ?? Number.NaN);
  const to = Number(params.get('to') ?? Number.NaN);
  const span = params.get('time');
  const values = Object.fromEntries(
    names.flatMap((name) => {
      const all = params.getAll(name).filter((one) => one !== '');
      return all.length === 0 ? [] : [[name, all]];
    }),
  );
  return {
    values,
    span: isSpan(span) ? span : usualSpan,
    range: Number.isFinite(from) && Number.isFinite(to) ? { from, to } : undefined,
  };
}

/** Converts the filter into a query of the API. `nowMs`: when the page was opened. */
export function queryOf({ values, span, range }: RunListFilter, nowMs: number): RunQuery {
  const { status, ...single } = values;
  const firsts = Object.fromEntries(Object.entries(single).map(([name, [first = '']]) => [name, first]));
  const time = timeOf({ span, range }, nowMs);
  return {
    ...firsts,
    ...(status === undefined ? {} : { status: [...status] }),
    ...(time === undefined ? {} : { from: new Date(time.from).toISOString() }),
    ...(time === undefined || range === undefined ? {} : { to: new Date(time.to).toISOString() }),
  } as RunQuery;
}

const minuteMs = 60_000;

/** Undefined: all time. */
export function timeOf(
  { span, range }: Pick<RunListFilter, 'span' | 'range'>,
  nowMs: number,
): { readonly from: number; readonly to: number } | undefined {
  if (range !== undefined) return range;
  if (span === 'all') return undefined;
  const to = Math.ceil(nowMs / minuteMs) * minuteMs;
  return { from: to - spans[span], to };
}

/** The text of the filter by call: a tool, `server/tool`, or `server/` for any tool of a server. */
export const calledOf = ({ server: [server] = [], tool: [tool = ''] = [] }: RunListFilter['values']): string =>
  server === undefined ? tool : `${server}/${tool}`;

export function namedCall(called: string): Partial<Record<'server' | 'tool', string | undefined>> {
  const slash = called.indexOf('/');
  const set = (text: string): string | undefined => (text === '' ? undefined : text);
  return { server: set(called.slice(0, Math.max(0, slash))), tool: set(called.slice(slash + 1)) };
}

export const isFiltered = ({ values, range }: RunListFilter): boolean =>
  range !== undefined || Object.keys(values).length > 0;
