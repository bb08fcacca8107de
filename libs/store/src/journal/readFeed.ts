/**
 * The events of all runs in one order: by the transactions that wrote them, up to the first transaction that is still
 * open. So no event appears later at a position that a reader has passed. The events of a run are in the order of its
 * journal.
 */
import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { noRun } from '../database/noRun.ts';
import { isRunId } from '../database/runId.ts';
import { type StoredEvent, parseEvent } from './eventText.ts';
import { withinBytes } from './withinBytes.ts';

/** `transaction-run-position`; `isFeedPosition` checks texts from outside. */
export type FeedPosition = string;

export interface FeedEvent extends StoredEvent {
  readonly runId: string;
  readonly workflow: string;
  readonly position: FeedPosition;
}

export interface FeedPage {
  readonly events: readonly FeedEvent[];
  /** The current end of the feed. */
  readonly end: FeedPosition;
}

/** The current end of the feed. */
export interface FeedEnd {
  /** No event will appear before this position any more. */
  readonly position: FeedPosition;
  /** Number of the next transaction, in any database of the server. */
  readonly next: string;
}

/**
 * Transactions are numbered for the whole server. A transaction of another database writes nothing here, so it is left out
 * where its session or `pg_prepared_xact` shows its database. The sessions are read after the snapshot: a transaction
 * that ends in between holds the feed back until the next query.
 */
const endText = `
  select coalesce(min(xid), pg_snapshot_xmax(snapshot))::text as horizon, pg_snapshot_xmax(snapshot)::text as next
  from (select pg_current_snapshot() as snapshot) as now
  left join lateral pg_snapshot_xip(snapshot) as xid on xid::xid not in (
    select xid from (
      select backend_xid as xid, datid as database from pg_stat_get_activity(null)
      union all select transaction, dbid from pg_prepared_xact()) as under_way
    where xid is not null and database <> (select datid from pg_stat_get_activity(pg_backend_pid())))
  group by snapshot::text, pg_snapshot_xmax(snapshot)`;

const pageText = withinBytes(
  `select xact, run_id, seq, at, type, data::text as data, workflow
   from run_event join run on run.id = run_id
   where xact >= $1 and (xact, run_id, seq) > ($1::bigint, $2::uuid, $3::int) and xact < $4
   order by xact, run_id, seq limit $5`,
  'xact, run_id, seq',
);

/** Rejects with `UnavailableError`. */
export async function feedEnd({ pool }: Pick<Database, 'pool'>): Promise<FeedEnd> {
  const { rows } = await pool
    .query<{ horizon: string; next: string }>({ name: 'feed-end', text: endText })
    .catch(rethrowUnavailable);
  const [{ horizon, next } = { horizon: '0', next: '0' }] = rows;
  return { position: `${horizon}-${noRun}-0`, next };
}

/** At most `limit` events after a position. Rejects with `UnavailableError`. */
export async function readFeed(
  database: Pick<Database, 'pool'>,
  { after, limit }: { readonly after: FeedPosition; readonly limit: number },
): Promise<FeedPage> {
  const { position: end } = await feedEnd(database);
  type Row = { xact: string; run_id: string; seq: number; at: string; type: string; data: string; workflow: string };
  const { rows } = await database.pool
    .query<Row>({ name: 'feed', text: pageText, values: [...positionParts(after), transactionOf(end), limit] })
    .catch(rethrowUnavailable);
  const events = rows.map(({ xact, run_id: runId, seq, at, type, data, workflow }) => ({
    runId,
    workflow,
    seq,
    event: parseEvent(type, Number(at), data),
    position: `${xact}-${runId}-${seq}`,
  }));
  return { events, end };
}

/** Whether a position is ahead of the feed: it comes from another database, or from before a restore of this one. */
export const isAhead = (position: FeedPosition, { next }: Pick<FeedEnd, 'next'>): boolean =>
  BigInt(transactionOf(position)) > BigInt(next);

export function isFeedPosition(text: string): boolean {
  const [, transaction = '', runId = '', seq = ''] = /^(\d{1,18})-(.{36})-(\d{1,9})$/.exec(text) ?? [];
  return transaction !== '' && seq !== '' && (runId === noRun || isRunId(runId));
}

const transactionOf = (position: FeedPosition): string => positionParts(position)[0];

/** The feed’s beginning for a text that is no position. */
export function positionParts(position: FeedPosition): [transaction: string, runId: string, seq: string] {
  const [, transaction = '0', runId = noRun, seq = '0'] = /^(\d+)-(.{36})-(\d+)$/.exec(position) ?? [];
  return [transaction, runId, seq];
}
