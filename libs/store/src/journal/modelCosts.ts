/**
 * What answers of models cost, summed by day in the statement that appends them: no journal is read for it, and it stays
 * where its runs are removed.
 */
import type { RunEvent, Usage } from '@baton/engine';
import { cleanText } from '@baton/primitives';

import { bigints, doubles, ints, texts, uuids } from './binaryArray.ts';

/** One answer, also one that did not fit. */
export interface ModelCost {
  readonly runId: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly usage: Usage;
}

/** An outcome that an earlier run paid for has no usage. */
export const costsIn = (runId: string, events: readonly RunEvent[]): ModelCost[] =>
  events.flatMap((event) => {
    const isEnd = event.type === 'step.succeeded' || event.type === 'step.failed' || event.type === 'step.retrying';
    return isEnd && event.usage !== undefined ? [{ runId, at: event.at, usage: event.usage }] : [];
  });

/** Rows of one key are written by several processes, each its own: none waits for the commit of another. */
const parts = 16;

export const randomPart = (): number => Math.floor(Math.random() * parts);

/** Of runs whose events say no model: written before version 0.3. */
const unnamed = 'unknown';

const columns = 'run_id, at, model, input_tokens, output_tokens, usd, estimated, unpriced, unknown';
const types = ['uuid', 'bigint', 'text', 'bigint', 'bigint', 'float8', 'int', 'int', 'int'];
const sums = ['input_tokens', 'output_tokens', 'usd', 'estimated', 'unpriced', 'unknown'];

/** `first`: the number of the first of ten parameters. Rows are locked in one order, so that writers cannot deadlock. */
export const insertCosts = (first: number): string => `cost as (
    insert into cost_day (day, workflow, model, by, part, answers, ${sums.join(', ')})
    select (to_timestamp(c.at / 1000.0) at time zone 'utc')::date as day, run.workflow, c.model, run.by,
      $${first + types.length}::smallint, count(*), ${sums.map((name) => `sum(c.${name})`).join(', ')}
    from unnest(${types.map((type, n) => `$${first + n}::${type}[]`).join(', ')}) as c(${columns})
      join run on run.id = c.run_id
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (day, workflow, model, by, part) do update set
      ${['answers', ...sums].map((name) => `${name} = cost_day.${name} + excluded.${name}`).join(', ')}
  )`;

export const costValues = (costs: readonly ModelCost[], part: number): (Buffer | number)[] => [
  uuids(costs.map(({ runId }) => runId)),
  bigints(costs.map(({ at }) => at)),
  // A client says it: its NUL would keep the answer, and those of other runs in the statement, from being stored.
  texts(costs.map(({ usage }) => cleanText(usage.model ?? unnamed))),
  bigints(costs.map(({ usage }) => usage.inputTokens ?? 0)),
  bigints(costs.map(({ usage }) => usage.outputTokens ?? 0)),
  doubles(costs.map(({ usage }) => usage.usd ?? 0)),
  ints(costs.map(({ usage }) => Number(usage.estimated === true))),
  ints(costs.map(({ usage }) => Number(usage.usd === undefined && hasTokens(usage)))),
  ints(costs.map(({ usage }) => Number(usage.usd === undefined && !hasTokens(usage)))),
  part,
];

const hasTokens = ({ inputTokens, outputTokens }: Usage): boolean =>
  inputTokens !== undefined || outputTokens !== undefined;
