/**
 * Follows all runs, in the order of the feed, for triggers that start runs where one ends, waits or spends. Any number of
 * processes may look at the same place and decide; how far one has got, and the runs that it starts, are written in one
 * transaction under a lock, and only if none was there first: each end counts once.
 */
import type { Pool, PoolClient } from 'pg';

import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { queryRows } from '../database/queryRows.ts';
import { inTransaction } from '../database/transaction.ts';
import { feedEnd, isAhead } from '../journal/readFeed.ts';
import type { RequestOutcome, RunRequest } from '../runs/runRequest.ts';
import { type EndedRun, countedEnds } from './countedEnds.ts';
import { type RunNotice, keepNotices, noticesOf } from './notices.ts';
import { type SpendingOrder, type SpendingRun, spendingRuns } from './spendingRuns.ts';
import { type LongWaits, type WaitWatch, type WaitingRun, longWaits, moveWatches } from './waitingRuns.ts';

export interface Streaks {
  /** Of a trigger, whose name begins with its workflow and a blank, and the workflow whose runs end. */
  get(trigger: string, workflow: string): number;
  set(trigger: string, workflow: string, count: number): void;
}

/** What triggers have to decide about. */
export interface SeenRuns {
  readonly ends: readonly EndedRun[];
  readonly streaks: Streaks;
  /** By trigger, where there are any. */
  readonly waits: ReadonlyMap<string, readonly WaitingRun[]>;
  readonly spending: readonly SpendingRun[];
  /** The trigger has started a run for this one. */
  isNoticed(trigger: string, runId: string): boolean;
  notice(trigger: string, runId: string): void;
}

export interface FollowOrder {
  /** Resolves to the requests of the runs that are started. */
  readonly decide: (seen: SeenRuns) => Promise<readonly RunRequest[]>;
  readonly waits: readonly WaitWatch[];
  /** Undefined: what runs spend starts none. */
  readonly wantsSpending: SpendingOrder['wants'] | undefined;
  /** The triggers whose rows remain, where they have changed. */
  readonly kept: readonly string[] | undefined;
}

export interface FollowedRuns {
  readonly outcomes: ReadonlyMap<string, RequestOutcome>;
  /** More ends wait. */
  readonly isMore: boolean;
}

interface FollowingStore extends Database {
  requestWithin(client: PoolClient, requests: readonly RunRequest[]): Promise<ReadonlyMap<string, RequestOutcome>>;
}

/** Many runs may be written meanwhile, and no process waits for the lock. */
const followingMs = 15_000;

/**
 * Undefined: another process has followed meanwhile, or follows at this moment, and nothing was written. The first call
 * only notes where the feed ends. Rejects with `UnavailableError` and with the errors of `decide` and `wantsSpending`.
 */
export async function followRuns(store: FollowingStore, order: FollowOrder): Promise<FollowedRuns | undefined> {
  const look = await lookFrom(store, order);
  if (look === undefined) return undefined;
  // However long that takes: no transaction is open, and no other process waits.
  const requests = look.isQuiet ? [] : await order.decide(look.seen);
  return inTransaction(
    store.pool,
    (client) => write(store, client, { ...look, requests, kept: order.kept }),
    followingMs,
  );
}

interface Look {
  /** As it was read: what is written holds only where it is still the same. */
  readonly cursor: string;
  /** Where the cursor goes. */
  readonly position: string;
  readonly isMore: boolean;
  readonly seen: SeenRuns;
  readonly isQuiet: boolean;
  readonly moves: LongWaits['moves'];
  readonly remembered: readonly Remembered[];
}

/** What is decided about and written afterwards. */
interface Remembered {
  write(into: PoolClient): Promise<void>;
}

async function lookFrom(store: FollowingStore, order: FollowOrder): Promise<Look | undefined> {
  const { pool } = store;
  const end = await feedEnd(store);
  await queryRows(pool, 'insert into run_cursor (id, position) values (1, $1) on conflict do nothing', [end.position]);
  const [cursor] = await queryRows<{ position: string }>(pool, 'select position from run_cursor where id = 1');
  if (cursor === undefined) return undefined;
  // Of a database that was restored into another server.
  const after = isAhead(cursor.position, end) ? end.position : cursor.position;
  const { ends, last } = await countedEnds(pool, after, end.position);
  const position = last ?? end.position;
  const wants = order.wantsSpending;
  const spending = wants === undefined ? [] : await spendingRuns(pool, { after, upTo: position, wants });
  const { found: waits, moves } = await longWaits(pool, order.waits, store.now());
  const streaks = await readStreaks(pool, ends);
  const notices = await readNotices(pool, spending);
  return {
    cursor: cursor.position,
    position,
    isMore: last !== undefined,
    seen: { ends, streaks, waits, spending, ...notices },
    isQuiet: ends.length + spending.length + waits.size === 0,
    moves,
    remembered: [streaks, notices],
  };
}

interface DecidedLook extends Look, Pick<FollowOrder, 'kept'> {
  readonly requests: readonly RunRequest[];
}

/** All that was seen is written by one process, together with the runs that it starts. */
async function write(
  store: FollowingStore,
  client: PoolClient,
  { cursor, position, isMore, moves, remembered, requests, kept }: DecidedLook,
): Promise<FollowedRuns | undefined> {
  const [locked] = await queryRows<{ position: string }>(
    client,
    'select position from run_cursor where id = 1 for update skip locked',
  );
  if (locked?.position !== cursor || !(await moveWatches(client, moves))) return undefined;
  for (const table of kept === undefined ? [] : tablesOfTriggers)
    await queryRows(client, `delete from ${table} where trigger <> all($1)`, [kept]);
  for (const one of remembered) await one.write(client);
  const outcomes = await store.requestWithin(client, requests);
  if (position !== cursor) await queryRows(client, 'update run_cursor set position = $1 where id = 1', [position]);
  return { outcomes, isMore };
}

/** What is remembered of each trigger, in its column `trigger`. */
const tablesOfTriggers = ['run_streak', 'run_watch', 'run_notice'] as const;

/** No workflow has such a trigger, or Postgres went back in time: what has happened meanwhile starts nothing. */
export async function forgetRunEnds({ pool }: Pick<Database, 'pool'>): Promise<void> {
  const rows = tablesOfTriggers.map((table) => `${table}_rows as (delete from ${table})`).join(', ');
  await pool.query(`with ${rows} delete from run_cursor`).catch(rethrowUnavailable);
}

async function readNotices(
  client: Pick<Pool, 'query'>,
  spending: readonly SpendingRun[],
): Promise<Pick<SeenRuns, 'isNoticed' | 'notice'> & Remembered> {
  const keyOf = (trigger: string, runId: string): string => `${runId} ${trigger}`;
  const runIds = spending.map(({ runId }) => runId);
  const known = new Set((await noticesOf(client, runIds)).map(({ trigger, runId }) => keyOf(trigger, runId)));
  const added: RunNotice[] = [];
  return {
    isNoticed: (trigger, runId) => known.has(keyOf(trigger, runId)),
    notice: (trigger, runId) => {
      known.add(keyOf(trigger, runId));
      added.push({ trigger, runId });
    },
    write: (into) => keepNotices(into, added),
  };
}

async function readStreaks(client: Pick<Pool, 'query'>, ends: readonly EndedRun[]): Promise<Streaks & Remembered> {
  const workflows = [...new Set(ends.map(({ workflow }) => workflow))];
  type Row = { trigger: string; workflow: string; count: number };
  const rows = await queryRows<Row>(
    client,
    'select trigger, workflow, count from run_streak where workflow = any($1)',
    [workflows],
  );
  const keyOf = (trigger: string, workflow: string): string => `${trigger} ${workflow}`;
  const counts = new Map(rows.map((row) => [keyOf(row.trigger, row.workflow), row]));
  const changed = new Map<string, Row>();
  return {
    get: (trigger, workflow) => counts.get(keyOf(trigger, workflow))?.count ?? 0,
    set: (trigger, workflow, count) => {
      const row = { trigger, workflow, count };
      counts.set(keyOf(trigger, workflow), row);
      changed.set(keyOf(trigger, workflow), row);
    },
    write: async (into) => {
      if (changed.size === 0) return;
      const all = [...changed.values()];
      await queryRows(
        into,
        `insert into run_streak (trigger, workflow, count) select * from unnest($1::text[], $2::text[], $3::int[])
         on conflict (trigger, workflow) do update set count = excluded.count`,
        [all.map(({ trigger }) => trigger), all.map(({ workflow }) => workflow), all.map(({ count }) => count)],
      );
    },
  };
}
