/** How long runs waited for answers of people. */
import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';
import { pathColumnOf } from '../journal/eventText.ts';

interface Row {
  readonly id: string;
  readonly askedAt: string;
  readonly answeredAt: string;
}

/** By run, in milliseconds; absent: it had no answer. Questions at the same time count once. Rejects with `UnavailableError`. */
export async function askedTimes(
  { pool }: Pick<Database, 'pool'>,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (runIds.length === 0) return new Map();
  const rows = await queryRows<Row>(
    pool,
    `select answered.run_id as id, asked.at as "askedAt", answered.at as "answeredAt"
     from run_event as answered cross join lateral (
       select at from run_event as before where before.run_id = answered.run_id and before.seq < answered.seq
         and before.type in ('step.waiting', 'question.asked') and ${pathColumnOf('before')} = ${pathColumnOf('answered')}
       order by before.seq desc limit 1) as asked
     where answered.type = 'question.answered' and answered.run_id = any($1::uuid[])
     order by answered.run_id, asked.at`,
    [runIds],
  );
  const byRun = Map.groupBy(rows, ({ id }) => id);
  return new Map([...byRun].map(([id, waits]) => [id, together(waits)]));
}

/** Intervals in the order of their beginnings; those that overlap count once. */
function together(waits: readonly Row[]): number {
  let [sum, until] = [0, 0];
  for (const { askedAt, answeredAt } of waits) {
    const [from, to] = [Math.max(until, Number(askedAt)), Number(answeredAt)];
    if (to <= from) continue;
    sum += to - from;
    until = to;
  }
  return sum;
}
