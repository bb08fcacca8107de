/**
 * Follows all runs, in the order of the feed, for triggers that start runs where one ends, waits or spends. How far it
 * has got, and the runs that it starts, are written in one transaction under a lock: of any number of processes, one
 * reads each end.
 */
import type { PoolClient } from 'pg';

import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { inTransaction } from '../database/transaction.ts';
import { feedEnd, isAhead } from '../journal/readFeed.ts';
import type { RequestOutcome, RunRequest } from '../runs/runRequest.ts';
import { type EndedRun, countedEnds } from './countedEnds.ts';
import { type RunNotice, keepNotices, noticesOf } from './notices.ts';
import { type SpendingOrder, type SpendingRun, spendingRuns } from './spendingRuns.ts';
import { type WaitWatch, type WaitingRun, longWaits } from './waitingRuns.ts';

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
 * Undefined: another process follows at this moment. The first call only notes where the feed ends. Rejects with
 * `UnavailableError` and with the errors of `decide` and `wantsSpending`; nothing was written then.
 */
export async function followRuns(store: FollowingStore, order: FollowOrder): Promise<FollowedRuns | undefined> {
  const end = await feedEnd(store);
  return inTransaction(
    store.pool,
    async (client) => {
      const begin = 'insert into run_cursor (id, position) values (1, $1) on conflict do nothing';
      await run(client, begin, [end.position]);
      const [cursor] = await run<{ position: string }>(
        client,
        'select position from run_cursor where id = 1 for update skip locked',
      );
      if (cursor === undefined) return undefined;
      // Of a database that was restored into another server.
      const after = isAhead(cursor.position, end) ? end.position : cursor.position;
      const { ends, last } = await countedEnds(client, after, end.position);
      const position = last ?? end.position;
      for (const table of order.kept === undefined ? [] : tablesOfTriggers)
        await run(client, `delete from ${table} where trigger <> all($1)`, [order.kept]);
      const wants = order.wantsSpending;
      const spending = wants === undefined ? [] : await spendingRuns(client, { after, upTo: position, wants });
      const waits = await longWaits(client, order.waits, store.now());
      const streaks = await readStreaks(client, ends);
      const notices = await readNotices(client, spending);
      const isQuiet = ends.length + spending.length + waits.size === 0;
      const requests = isQuiet ? [] : await order.decide({ ends, streaks, waits, spending, ...notices });
      const outcomes = await store.requestWithin(client, requests);
      await streaks.write(client);
      await notices.write(client);
      if (position !== cursor.position)
        await run(client, 'update run_cursor set position = $1 where id = 1', [position]);
      return { outcomes, isMore: last !== undefined };
    },
    followingMs,
  );
}

/** What is remembered of each trigger, in its column `trigger`. */
const tablesOfTriggers = ['run_streak', 'run_watch', 'run_notice'] as const;

/** No workflow has such a trigger, or Postgres went back in time: what has happened meanwhile starts nothing. */
export async function forgetRunEnds({ pool }: Pick<Database, 'pool'>): Promise<void> {
  const rows = tablesOfTriggers.map((table) => `${table}_rows as (delete from ${table})`).join(', ');
  await pool.query(`with ${rows} delete from run_cursor`).catch(rethrowUnavailable);
}

async function readNotices(
  client: PoolClient,
  spending: readonly SpendingRun[],
): Promise<Pick<SeenRuns, 'isNoticed' | 'notice'> & { write(into: PoolClient): Promise<void> }> {
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

async function readStreaks(
  client: PoolClient,
  ends: readonly EndedRun[],
): Promise<Streaks & { write(into: PoolClient): Promise<void> }> {
  const workflows = [...new Set(ends.map(({ workflow }) => workflow))];
  type Row = { trigger: string; workflow: string; count: number };
  const rows = await run<Row>(client, 'select trigger, workflow, count from run_streak where workflow = any($1)', [
    workflows,
  ]);
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
      await run(
        into,
        `insert into run_streak (trigger, workflow, count) select * from unnest($1::text[], $2::text[], $3::int[])
         on conflict (trigger, workflow) do update set count = excluded.count`,
        [all.map(({ trigger }) => trigger), all.map(({ workflow }) => workflow), all.map(({ count }) => count)],
      );
    },
  };
}

async function run<Row extends object>(
  client: PoolClient,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const { rows } = await client.query<Row>(text, [...values]).catch(rethrowUnavailable);
  return rows;
}
