/**
 * How many runs are accepted and how many writes are begun, summed by day, for budgets: in the statement that creates the
 * run, or appends the intent. Children and retries count once, each where it is stored.
 */
import type { EventOf, RunEvent } from '@baton/engine';
import { sessionWorkflow } from '@baton/language';

import { bigints, ints, uuids } from './binaryArray.ts';

/** Writes that one append begins. */
export interface BegunWrites {
  readonly runId: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly count: number;
}

const isWrite = (event: RunEvent): boolean =>
  event.type === 'step.started' && event.call?.verb === 'tool' && event.call.effect === 'write';

export const countWrites = (events: readonly RunEvent[]): number => events.filter(isWrite).length;

export function writesIn(runId: string, events: readonly RunEvent[]): BegunWrites[] {
  const count = countWrites(events);
  return count === 0 ? [] : [{ runId, at: events.at(-1)?.at ?? 0, count }];
}

/**
 * Whether budgets count the run. An item of a `forEach` is a part of its run, an undo is refused by no budget, and a session
 * at the gateway is there for its calls.
 */
export const isCounted = ({ part, trigger, workflow }: EventOf<'run.requested'>): boolean =>
  part === undefined && trigger.kind !== 'undo' && workflow !== sessionWorkflow;

/** Nothing is counted while there is no budget: it costs each run a fourth of what Postgres does for it. */
export interface UsageCount {
  isOn: boolean;
}

/**
 * `from`: rows `(at, workflow, runs, writes)`. Rows are locked in one order, so that writers cannot deadlock, and each
 * connection has its own, until two of them share a number: so none waits for the commit of another.
 */
export const addUsage = (from: string): string => `insert into usage_day (day, workflow, part, runs, writes)
    select (to_timestamp(u.at / 1000.0) at time zone 'utc')::date, u.workflow, pg_backend_pid() % 32,
      sum(u.runs), sum(u.writes)
    from (${from}) as u (at, workflow, runs, writes) where u.runs + u.writes > 0 group by 1, 2 order by 1, 2
    on conflict (day, workflow, part) do update set
      runs = usage_day.runs + excluded.runs, writes = usage_day.writes + excluded.writes`;

/** `first`: the number of the first of three parameters. */
export const insertWrites = (first: number): string => `written as (
    ${addUsage(`select w.at, run.workflow, 0, w.count
      from unnest($${first}::uuid[], $${first + 1}::bigint[], $${first + 2}::int[]) as w(run_id, at, count)
      join run on run.id = w.run_id`)}
  )`;

export const writesValues = (writes: readonly BegunWrites[]): Buffer[] => [
  uuids(writes.map(({ runId }) => runId)),
  bigints(writes.map(({ at }) => at)),
  ints(writes.map(({ count }) => count)),
];
