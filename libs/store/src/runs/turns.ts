/**
 * Applies the concurrency limits of runs. Each change holds the lock of its key, so that no two changes see the same free
 * turn. An ended run holds no turn, even before `pass` is called for it.
 */
import { createHash } from 'node:crypto';

import type { AwaitedTurn, Turn } from '@baton/engine';
import { canonicalJson } from '@baton/protocol';
import type { Ring, Turns } from '@baton/runner';
import type { PoolClient } from 'pg';

import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { inTransaction } from '../database/transaction.ts';

/** Runs admitted by one change, since each is rung for; more of them wait for the next change. */
const admittedMax = 1_000;

/** Runs with the same key share a limit. */
export const turnKey = ({ workflow, isInline, key }: Turn): string =>
  `${isInline ? 'inline ' : ''}${workflow} ${createHash('sha256').update(canonicalJson(key)).digest('hex')}`;

export function storedTurns(database: Pick<Database, 'pool'>): Turns {
  const { pool } = database;
  return {
    take: (runId, turn, dueAt) =>
      inTransaction(pool, async (client) => {
        const key = turnKey(turn);
        await lock(client, key);
        await client.query(
          `insert into turn (run_id, key, most, due_at) values ($1, $2, $3, to_timestamp($4::bigint / 1000.0))
          on conflict do nothing`,
          [runId, key, turn.limit, dueAt],
        );
        const newer = turn.whenFull === 'replace' ? await findNewer(client, runId) : undefined;
        if (newer !== undefined) await client.query('delete from turn where run_id = $1', [runId]);
        const admitted = await admit(client, key);
        const { rows } = await client.query<{ is_admitted: boolean }>(
          'select is_admitted from turn where run_id = $1',
          [runId],
        );
        const isAdmitted = rows[0]?.is_admitted === true;
        const older =
          isAdmitted || newer !== undefined || turn.whenFull !== 'replace' ? [] : await findOlder(client, runId);
        return { isAdmitted, admitted: admitted.filter((one) => one.runId !== runId), older, newer };
      }).catch(rethrowUnavailable),
    pass: async (runId) => {
      const { rows } = await pool
        .query<{ key: string }>('select key from turn where run_id = $1', [runId])
        .catch(rethrowUnavailable);
      const key = rows[0]?.key;
      return key === undefined ? [] : passTurns(database, key);
    },
  };
}

/** The turn that a run waits for; undefined where it waits for none. Rejects with `UnavailableError`. */
export async function awaitedTurn({ pool }: Pick<Database, 'pool'>, runId: string): Promise<AwaitedTurn | undefined> {
  const text = `select most as limit, (select other.run_id from turn as other
      where other.key = turn.key and other.is_admitted order by due_at, run_id limit 1) as held_by
    from turn where run_id = $1 and not is_admitted`;
  const { rows } = await pool.query<{ limit: number; held_by: string | null }>(text, [runId]).catch(rethrowUnavailable);
  return rows[0] && { limit: rows[0].limit, heldBy: rows[0].held_by ?? undefined };
}

/** Removes ended runs, and returns the runs that may begin then. Rejects with `UnavailableError`. */
export function passTurns({ pool }: Pick<Database, 'pool'>, key: string): Promise<readonly Ring[]> {
  return inTransaction(pool, async (client) => {
    await lock(client, key);
    return admit(client, key);
  }).catch(rethrowUnavailable);
}

/**
 * Keys with a run that ended `forMs` ago and still has a row, since `pass` was not called for it. `isThorough`: also runs
 * that were never admitted, which reads all rows.
 */
export async function unpassedTurns(
  { pool }: Pick<Database, 'pool'>,
  { forMs, limit, isThorough }: { readonly forMs: number; readonly limit: number; readonly isThorough: boolean },
): Promise<readonly string[]> {
  const { rows } = await pool
    .query<{ key: string }>(
      `select distinct key from turn left join run on run.id = turn.run_id
      where ${isThorough ? 'true' : 'is_admitted'}
        and (run.id is null or run.ended_at < now() - $1 * interval '1 ms') limit $2`,
      [forMs, limit],
    )
    .catch(rethrowUnavailable);
  return rows.map(({ key }) => key);
}

/**
 * Call it within the transaction that makes the run. Undefined where the run got the turn; otherwise the id of a run that
 * holds one.
 */
export async function takeTurnAtOnce(
  client: PoolClient,
  runId: string,
  dueAt: number,
  turn: Turn,
): Promise<string | undefined> {
  const key = turnKey(turn);
  await lock(client, key);
  await admit(client, key);
  const { rowCount } = await client.query(
    `insert into turn (run_id, key, most, due_at, is_admitted)
    select $1::uuid, $2::text, $3::int, to_timestamp($4::bigint / 1000.0), true
    where (select count(*) from turn where key = $2) < $3::int`,
    [runId, key, turn.limit, dueAt],
  );
  if (rowCount === 1) return undefined;
  const { rows } = await client.query<{ run_id: string }>(
    'select run_id from turn where key = $1 order by due_at, run_id limit 1',
    [key],
  );
  return rows[0]?.run_id ?? runId;
}

/** One transaction at a time changes the rows of a key; its statements see all earlier commits. */
const lock = (client: PoolClient, key: string): Promise<unknown> =>
  client.query(`select pg_advisory_xact_lock(hashtextextended('turn ' || $1, 0))`, [key]);

async function admit(client: PoolClient, key: string): Promise<readonly Ring[]> {
  await client.query(
    `delete from turn where key = $1
      and not exists (select from run where run.id = turn.run_id and run.ended_at is null)`,
    [key],
  );
  // Strictly in order: runs behind the first one without room are not admitted, though a newer version may allow more.
  const { rows } = await client.query<{ run_id: string; priority: number }>(
    `with line as (
      select run_id, most, row_number() over (order by due_at, run_id) as place
      from turn where key = $1 and not is_admitted order by due_at, run_id limit ${admittedMax}
    ), room as (
      select run_id, place, (select count(*) from turn where key = $1 and is_admitted) + place <= most as is_there from line
    )
    update turn set is_admitted = true from room join run on run.id = room.run_id
    where turn.run_id = room.run_id and room.is_there
      and not exists (select from room earlier where not earlier.is_there and earlier.place < room.place)
    returning turn.run_id, run.priority`,
    [key],
  );
  return rows.map(({ run_id: runId, priority }) => ({ runId, priority }));
}

/** With `replace`, only the newest runs within the limit may begin: one of these, if `runId` is older than all of them. */
async function findNewer(client: PoolClient, runId: string): Promise<string | undefined> {
  const { rows } = await client.query<{ run_id: string }>(
    `select newer.run_id from turn own join turn newer on newer.key = own.key
      and (newer.due_at, newer.run_id) > (own.due_at, own.run_id)
    where own.run_id = $1 and not own.is_admitted
    order by newer.due_at, newer.run_id offset (select most - 1 from turn where run_id = $1) limit 1`,
    [runId],
  );
  return rows[0]?.run_id;
}

async function findOlder(client: PoolClient, runId: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ run_id: string }>(
    `select older.run_id from turn own join turn older on older.key = own.key
      and (older.due_at, older.run_id) < (own.due_at, own.run_id)
    where own.run_id = $1
    order by older.due_at desc, older.run_id desc offset (select most - 1 from turn where run_id = $1)`,
    [runId],
  );
  return rows.map(({ run_id }) => run_id);
}
