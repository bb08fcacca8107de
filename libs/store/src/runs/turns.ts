/**
 * The concurrency limits of runs. Each change holds the lock of its key, so that no two see the same free turn; an
 * ended run holds no turn, even before its end is reported.
 */
import { createHash } from 'node:crypto';

import type { Turn } from '@baton/engine';
import { canonicalJson } from '@baton/protocol';
import type { Ring, Turns } from '@baton/runner';
import type { PoolClient } from 'pg';

import type { Database } from '../database/database.ts';
import { asUnavailable } from '../database/databaseError.ts';
import { inTransaction } from '../database/transaction.ts';

/** Each admitted run is rung for: beyond this number the rest waits for the next change. */
const atOnce = 1_000;

/** Runs with the same text count together. */
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
      }).catch(rethrow),
    pass: async (runId) => {
      const { rows } = await pool
        .query<{ key: string }>('select key from turn where run_id = $1', [runId])
        .catch(rethrow);
      const key = rows[0]?.key;
      return key === undefined ? [] : passTurns(database, key);
    },
  };
}

/** Removes ended runs, and returns those whose turn it is then. Rejects with `UnavailableError`. */
export function passTurns({ pool }: Pick<Database, 'pool'>, key: string): Promise<readonly Ring[]> {
  return inTransaction(pool, async (client) => {
    await lock(client, key);
    return admit(client, key);
  }).catch(rethrow);
}

/**
 * Keys with a run that ended that long ago and still holds its turn, since its end was not reported. `isThorough`: also
 * those that merely queue, which looks at all of them.
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
    .catch(rethrow);
  return rows.map(({ key }) => key);
}

/**
 * Within the transaction that makes the run. Undefined where the turn is the run's; otherwise a run that is in the way.
 */
export async function takeAtOnce(
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

/** The rows of a key are changed by one transaction at a time; its statements see all that was committed before. */
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
      from turn where key = $1 and not is_admitted order by due_at, run_id limit ${atOnce}
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

/** The last of as many as may go on at once, all due after a run that was not admitted: its turn will not come. */
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

function rethrow(error: unknown): never {
  throw asUnavailable(error);
}
