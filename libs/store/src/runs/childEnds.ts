/**
 * The ends of child runs that their parents have not taken yet. A row is written with the end of the child, and removed with
 * the event in the journal of the parent, each in the same statement: see `appendStatement`.
 */
import type { Database } from '../database/database.ts';
import { noRun } from '../database/noRun.ts';
import { queryRows } from '../database/queryRows.ts';

export interface ChildEndsLook {
  /** Only ends of this age. */
  readonly forMs: number;
  readonly limit: number;
  /** Only children with a larger id. */
  readonly after?: string | undefined;
}

/** Ids of children, in order. Rejects with `UnavailableError`. */
export async function untakenEnds(
  { pool }: Pick<Database, 'pool'>,
  { forMs, limit, after = noRun }: ChildEndsLook,
): Promise<readonly string[]> {
  const rows = await queryRows<{ id: string }>(
    pool,
    `select run_id as id from child_end where run_id > $1 and ended_at < now() - $2 * interval '1 ms'
     order by run_id limit $3`,
    [after, forMs, limit],
  );
  return rows.map(({ id }) => id);
}

/** For ends that no parent will take. Rejects with `UnavailableError`. */
export async function dropEnd({ pool }: Pick<Database, 'pool'>, childId: string): Promise<void> {
  await queryRows(pool, 'delete from child_end where run_id = $1', [childId]);
}

const parentsMax = 200;

/**
 * Writes down the ends that an older version, which runs beside this one during an upgrade, did not: of the next waiting
 * runs with children after `after`. Resolves to the last one, if there are more. Rejects with `UnavailableError`.
 */
export async function noteMissedEnds({ pool }: Pick<Database, 'pool'>, after = noRun): Promise<string | undefined> {
  const [found] = await queryRows<{ last: string | null; count: number }>(pool, missedSql, [after, parentsMax]);
  return found?.count === parentsMax ? (found.last ?? undefined) : undefined;
}

const missedSql = `with parent as (
    select id from run where ended_at is null and is_waiting and id > $1
      and exists (select from run as child where child.parent_run_id = run.id and child.ended_at is not null)
    order by id limit $2
  ), taken as materialized (
    select substring(data::text, '"runId":"([0-9a-f-]{36})"')::uuid as id
    from parent join run_event on run_event.run_id = parent.id and type = 'child.finished'
  ), missed as (
    insert into child_end (run_id, parent_run_id, ended_at)
    select child.id, parent.id, child.ended_at from parent join run as child on child.parent_run_id = parent.id
    where child.ended_at is not null and not exists (select from taken where taken.id = child.id)
    on conflict do nothing
  )
  select max(id::text) as last, count(*)::int as count from parent`;
