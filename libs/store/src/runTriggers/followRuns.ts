/**
 * Follows the ends of all runs, in the order of the feed, for triggers that start runs for them. How far it has got, and
 * the runs that it starts, are written in one transaction under a lock: of any number of processes, one reads each end.
 */
import type { EventOf } from '@baton/engine';
import type { PoolClient } from 'pg';

import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { inTransaction } from '../database/transaction.ts';
import { parseEvent } from '../journal/eventText.ts';
import { feedEnd, isAhead } from '../journal/readFeed.ts';
import type { RequestOutcome, RunRequest } from '../runs/runRequest.ts';

export interface EndedRun {
  readonly runId: string;
  readonly workflow: string;
  /** Who asked for it. */
  readonly by: string;
  readonly end: EventOf<'run.finished'>;
}

export interface Streaks {
  /** Of a trigger and a workflow. */
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

const endsMax = 200;
/** Many runs may be written meanwhile, and no process waits for the lock. */
const followingMs = 15_000;

/**
 * Undefined: another process follows at this moment. The first call only notes where the feed ends. Rejects with
 * `UnavailableError` and with the errors of `decide`; nothing was written then.
 */
export async function followRuns(store: FollowingStore, decide: DecideEnds): Promise<FollowedRuns | undefined> {
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
      const { ends, last } = await readEnds(client, after, end.position);
      const isMore = ends.length === endsMax;
      const streaks = await readStreaks(client, ends);
      const requests = ends.length === 0 ? [] : await decide(ends, streaks);
      const outcomes = await store.requestWithin(client, requests);
      await streaks.write(client);
      const position = isMore && last !== undefined ? last : end.position;
      if (position !== cursor.position)
        await run(client, 'update run_cursor set position = $1 where id = 1', [position]);
      return { outcomes, isMore };
    },
    followingMs,
  );
}

/** No workflow has such a trigger, or Postgres went back in time: what has ended meanwhile starts nothing. */
export async function forgetRunEnds({ pool }: Pick<Database, 'pool'>): Promise<void> {
  await pool.query('delete from run_cursor').catch(rethrowUnavailable);
}

const endsText = `
  select xact, run_id, seq, at, type, data::text as data, workflow, run.by
  from run_event join run on run.id = run_id
  where xact >= $1 and (xact, run_id, seq) > ($1::bigint, $2::uuid, $3::int) and xact < $4 and type = 'run.finished'
  order by xact, run_id, seq limit ${endsMax}`;

async function readEnds(
  client: PoolClient,
  after: string,
  before: string,
): Promise<{ readonly ends: readonly EndedRun[]; readonly last: string | undefined }> {
  type Row = {
    xact: string;
    run_id: string;
    seq: number;
    at: string;
    type: string;
    data: string;
    workflow: string;
    by: string;
  };
  const rows = await run<Row>(client, endsText, [...partsOf(after), partsOf(before)[0]]);
  const ends = rows.flatMap(({ run_id: runId, workflow, by, type, at, data }): EndedRun[] => {
    const event = parseEvent(type, Number(at), data);
    return event.type === 'run.finished' ? [{ runId, workflow, by, end: event }] : [];
  });
  const last = rows.at(-1);
  return { ends, last: last && `${last.xact}-${last.run_id}-${last.seq}` };
}

function partsOf(position: string): [transaction: string, runId: string, seq: string] {
  const [transaction = '0'] = position.split('-');
  return [
    transaction,
    position.slice(transaction.length + 1, transaction.length + 37),
    position.slice(transaction.length + 38),
  ];
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
