/**
 * Follows the ends of all runs, in the order of the feed, for triggers that start runs for them. How far it has got, and
 * the runs that it starts, are written in one transaction under a lock: of any number of processes, one reads each end.
 */
import type { PoolClient } from 'pg';

import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { inTransaction } from '../database/transaction.ts';
import { feedEnd, isAhead } from '../journal/readFeed.ts';
import type { RequestOutcome, RunRequest } from '../runs/runRequest.ts';
import { type EndedRun, countedEnds } from './countedEnds.ts';

export interface Streaks {
  /** Of a trigger, whose name begins with its workflow and a blank, and the workflow whose runs end. */
  get(trigger: string, workflow: string): number;
  set(trigger: string, workflow: string, count: number): void;
}

/** Resolves to the requests of the runs that the ends start. */
export type DecideEnds = (ends: readonly EndedRun[], streaks: Streaks) => Promise<readonly RunRequest[]>;

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
 * Undefined: another process follows at this moment. The first call only notes where the feed ends. `kept`: the triggers
 * whose rows remain, where they have changed. Rejects with `UnavailableError` and with the errors of `decide`; nothing was
 * written then.
 */
export async function followRuns(
  store: FollowingStore,
  decide: DecideEnds,
  kept?: readonly string[],
): Promise<FollowedRuns | undefined> {
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
      if (kept !== undefined) await run(client, 'delete from run_streak where trigger <> all($1)', [kept]);
      const streaks = await readStreaks(client, ends);
      const requests = ends.length === 0 ? [] : await decide(ends, streaks);
      const outcomes = await store.requestWithin(client, requests);
      await streaks.write(client);
      const position = last ?? end.position;
      if (position !== cursor.position)
        await run(client, 'update run_cursor set position = $1 where id = 1', [position]);
      return { outcomes, isMore: last !== undefined };
    },
    followingMs,
  );
}

/** No workflow has such a trigger, or Postgres went back in time: what has ended meanwhile starts nothing. */
export async function forgetRunEnds({ pool }: Pick<Database, 'pool'>): Promise<void> {
  await pool.query('with rows as (delete from run_streak) delete from run_cursor').catch(rethrowUnavailable);
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
