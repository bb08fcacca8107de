/** Finds runs that wait although their caller or workflow has less than its fair share of a worker's slots. */
import type { FairShare, NeglectedRun } from '@baton/runner';

import { tryLock } from '../database/advisoryLocks.ts';
import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import type { PinnedConnection } from '../database/pinnedConnection.ts';
import { queryRows } from '../database/queryRows.ts';
import { inTransaction } from '../database/transaction.ts';
import { walkInOrder } from '../database/walkInOrder.ts';
import { active, isSilent, someFellSilent } from '../runs/stuckRuns.ts';
import { isInLine } from '../runs/turns.ts';

/**
 * Finds waiting runs of callers that have less than their share of the slots. Slots are shared by the caller who
 * requested the runs (a key, a schedule, a hook), and each share by workflow: the caller with the fewest active runs
 * comes first, and among callers with equally many the one that was served least recently; then the workflow with the
 * fewest, then the most urgent run, then the oldest. The last free slot is for a
 * caller without active runs, who may have many workflows. Of the others a workflow takes at most half, and the last of
 * them is for a workflow without active runs. Runs of a worker that fell silent in the last five minutes are found as well.
 *
 * This reads a few runs of each caller and workflow, and all that fell due; so only one worker looks at a time, and for
 * others this resolves to undefined meanwhile. Rejects with `UnavailableError`.
 */
export async function neglectedRuns(
  { pool }: Database,
  sharing: FairShare,
): Promise<readonly NeglectedRun[] | undefined> {
  return inTransaction(pool, async (client) => {
    const [look] = await queryRows<{ held: boolean }>(client, tryLock('lookingForNeglected'));
    if (look?.held !== true) return undefined;
    await walkInOrder(client, { canMerge: true });
    const question = { name: 'neglected-runs', text: ofAll, values: valuesOf(sharing), rowMode: 'array' } as const;
    const { rows } = await client.query<string[]>(question).catch(rethrowUnavailable);
    return rows.map(runOf);
  });
}

/**
 * Finds those of the `offered` runs that `neglectedRuns` could find. On a pinned connection: a crowded worker is offered
 * many runs a second, and a plan that Postgres made while there were few runs would read all there are for each.
 */
export async function offeredRuns(
  connection: PinnedConnection,
  sharing: FairShare,
  offered: readonly string[],
): Promise<readonly NeglectedRun[]> {
  const values = [...valuesOf(sharing), offered];
  const { rows } = await connection.query({ name: 'offered-runs', text: ofSome, values }).catch(rethrowUnavailable);
  return rows.map(runOf);
}

const valuesOf = ({ driven, slots, forMs, silentMs, limit, except, served }: FairShare): unknown[] => [
  driven,
  slots,
  forMs,
  silentMs,
  limit,
  except,
  served,
];

const runOf = ([runId, by]: readonly (string | null)[]): NeglectedRun => ({ runId: String(runId), by: String(by) });

const fellDue = `wake_at < now() - $3 * interval '1 ms'`;
const isQueued = `${active} and status = 'queued' and wake_at is null and created_at < now() - $3 * interval '1 ms'`;
const columns = 'run.id, run."by", run.workflow, run.priority';

/**
 * Walks through the index `run_fair_share`: from each pair of a caller and a workflow to the next one, and in each through
 * as many runs as there are free slots. So its cost depends on the number of pairs, and not on the number of runs, except
 * of those that wait for their turn: these are passed over one by one.
 */
const queuedOfAll = `pair as (
    (select "by", workflow from run where ${active} order by "by", workflow limit 1)
    union all
    select next.* from pair cross join lateral (
      select "by", workflow from run where ${active} and ("by", workflow) > (pair."by", pair.workflow)
      order by "by", workflow limit 1) as next
  ), queued as (
    select run.* from pair cross join lateral (
      select ${columns} from run
      where "by" = pair."by" and workflow = pair.workflow and ${isQueued} and not ${isInLine} and id <> all($1::uuid[]) and id <> all($6::uuid[])
      order by "by", workflow, priority, id limit $5::int) as run
  )`;

const isOffered = 'run.id = any($8::uuid[])';
const queuedOfSome = `queued as (
    select ${columns} from run where ${isOffered} and ${isQueued} and not ${isInLine}
  )`;

/** `queued`: the query for queued runs. `candidate`: a condition on the others. */
const statement = (queued: string, candidate: string): string => `with recursive under_way as (
    select "by", workflow, count(*) as runs from run where id = any($1::uuid[]) group by "by", workflow
  ), ${queued}, waiting as (
    select * from queued
    union all
    select ${columns} from run where ${candidate} and ${fellDue} and not ${isInLine}
    union all
    select ${columns} from run left join worker on worker.id = run.worker
    where ${someFellSilent('$4')} and ${candidate} and ${active} and status = 'running'
      and ${isSilent('$4')}
  ), part as (
    select "by", workflow, coalesce(runs, 0) as runs, row_number() over () as number
    from (select "by", workflow from under_way union select "by", workflow from waiting) as parts
      left join under_way using ("by", workflow)
  ), asker as (
    select "by", ceil($2::numeric / count(*) over ()) as share, sum(runs) as driven,
      least(ceil($2::numeric / 2), ceil($2::numeric / count(*) over () / count(*))) as share_of_workflow
    from part group by "by"
  ), placed as (
    select waiting.*, share, driven, share_of_workflow, runs,
      row_number() over (partition by number order by priority, id) as place
    from waiting join (part join asker using ("by")) using ("by", workflow)
    where driven < share and runs < share_of_workflow and id <> all($1::uuid[]) and id <> all($6::uuid[])
  ), ranked as (
    select placed.*, driven + row_number() over (partition by "by" order by runs + place, id) as turn
    from placed
    where runs + place <= share_of_workflow and (place <= ($5::int - 1) / 2 or (place = 1 and runs = 0))
  ), picked as (
    select ranked.*, row_number() over (order by turn, coalesce(array_position($7::text[], "by"), 0), runs + place, id) as pick
    from ranked where turn <= share
  )
  select id, "by" from picked
  where pick < $5::int or turn = 1
  order by pick
  limit $5::int`;

const ofAll = statement(queuedOfAll, 'true');
const ofSome = statement(queuedOfSome, isOffered);
