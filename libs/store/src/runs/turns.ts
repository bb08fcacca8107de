/**
 * Applies the concurrency limits of runs. Each change is one function of the database that holds the lock of its key, so
 * that no two changes see the same free turn, and no change stops in the middle. An ended run holds no turn, even before
 * `pass` is called for it.
 */

import { type AwaitedTurn, type Turn, invariant } from '@baton/engine';
import { digestOf } from '@baton/protocol';
import type { Ring, Turns } from '@baton/runner';
import { DatabaseError } from 'pg';

import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { noRun } from '../database/noRun.ts';
import { queryRows } from '../database/queryRows.ts';

/** Runs admitted by one change, since each is rung for; more of them wait for the next change. */
const admittedMax = 1_000;

/** Runs with the same key share a limit. */
export const turnKey = ({ workflow, isInline, key }: Turn): string =>
  `${isInline ? 'inline ' : ''}${workflow} ${digestOf(key)}`;

export function storedTurns(database: Pick<Database, 'pool'>): Turns {
  return {
    take: async (runId, turn, dueAt) => {
      type Row = { has_turn: boolean; others: readonly Ring[]; newer: string | null; older: readonly string[] | null };
      const [row] = await queryRows<Row>(
        database.pool,
        'select * from take_turn($1, $2, $3, to_timestamp($4::bigint / 1000.0), $5, $6)',
        [runId, turnKey(turn), turn.limit, dueAt, turn.whenFull === 'replace', admittedMax],
      );
      invariant(row !== undefined, 'a function returns a row');
      const { has_turn: isAdmitted, others: admitted, newer, older } = row;
      return { isAdmitted, admitted, older: older ?? [], newer: newer ?? undefined };
    },
    pass: async (runId) => {
      const [row] = await queryRows<{ key: string }>(database.pool, 'select key from turn where run_id = $1', [runId]);
      return row === undefined ? [] : passTurns(database, row.key);
    },
  };
}

/**
 * A condition on `run`: a worker has seen it, and the run that ends its turn rings for it. One look-up for each run: Postgres
 * could read all turns for a join.
 */
export const isInLine = '((select is_seen and not is_admitted from turn where turn.run_id = run.id) is true)';

/** The turn that a run waits for; undefined where enough may begin at once, and it waits for a worker. Rejects with `UnavailableError`. */
export async function awaitedTurn({ pool }: Pick<Database, 'pool'>, runId: string): Promise<AwaitedTurn | undefined> {
  const text = `select most as limit, (array_agg(before.run_id order by before.place))[1] as held_by from turn
    cross join lateral (select other.run_id, row_number() over (order by not is_admitted, due_at, run_id) as place
      from turn as other where other.key = turn.key and other.run_id <> turn.run_id
        and (other.is_admitted or (other.due_at, other.run_id) < (turn.due_at, turn.run_id)) order by place limit turn.most) as before
    where turn.run_id = $1 and not turn.is_admitted group by most having count(*) >= most`;
  const { rows } = await pool.query<{ limit: number; held_by: string }>(text, [runId]).catch(rethrowUnavailable);
  return rows[0] && { limit: rows[0].limit, heldBy: rows[0].held_by };
}

/** Removes ended runs, and returns the runs that may begin then. Rejects with `UnavailableError`. */
export function passTurns({ pool }: Pick<Database, 'pool'>, key: string): Promise<readonly Ring[]> {
  const text = 'select admitted_run as "runId", admitted_priority as priority from admit_turns($1, $2)';
  return queryRows<Ring>(pool, text, [key, admittedMax]);
}

interface TurnsLook {
  readonly forMs: number;
  /** Rows that the look reads. */
  readonly limit: number;
  /** Absent: from the beginning. */
  readonly after?: string | undefined;
  /** Also runs that were never admitted: one may have ended while it waited. */
  readonly isThorough: boolean;
}

/** A page of turns, in order of their runs. */
interface UnpassedTurns {
  /** Keys with a run that ended `forMs` ago and still has a row, since `pass` was not called for it. */
  readonly keys: readonly string[];
  /** `after` of the next look; absent: this was the last page. */
  readonly next: string | undefined;
}

/** Rejects with `UnavailableError`. */
export async function unpassedTurns(
  { pool }: Pick<Database, 'pool'>,
  { forMs, limit, after = noRun, isThorough }: TurnsLook,
): Promise<UnpassedTurns> {
  const text = `with page as materialized (select run_id, key from turn
      where ${isThorough ? '' : 'is_admitted and '}run_id > $3 order by run_id limit $2)
    select array_agg(distinct key) filter (where run.id is null or run.ended_at < now() - $1 * interval '1 ms') as keys,
      (array_agg(run_id order by run_id desc))[1] as last, count(*)::int as count
    from page left join run on run.id = page.run_id`;
  type Row = { keys: readonly string[] | null; last: string | null; count: number };
  const [row] = await queryRows<Row>(pool, text, [forMs, limit, after]);
  return { keys: row?.keys ?? [], next: row?.count === limit ? (row.last ?? undefined) : undefined };
}

/**
 * For the statement that makes runs: it fails unless each of them gets its turn at once. The parameters are the key, the
 * limit and the instant in epoch milliseconds.
 */
export const takesTurn = (runId: string, first: number): string =>
  `take_turn_at_once(${runId}, $${first}::text, $${first + 1}::int, to_timestamp($${first + 2}::bigint / 1000.0), ${admittedMax})`;

/** The run that holds a turn, if that is why the statement has failed. */
export const holderIn = (error: unknown): string | undefined =>
  error instanceof DatabaseError && error.code === 'BT001' ? error.detail : undefined;
