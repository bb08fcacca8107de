/**
 * The events of all runs, in one order in which nothing comes later before what was read already: by the transaction that
 * wrote them, as far as all transactions before it are over. Within a run it is the order of its journal.
 */
import { asTold } from '../database/databaseError.ts';
import type { Database } from '../openStore.ts';
import { isRunId } from '../runs/runId.ts';
import type { StoredEvent } from './eventText.ts';
import { parseEvent } from './eventText.ts';

/** `transaction-run-position`. Texts that are none can be told by `isFeedPosition`. */
export type FeedPosition = string;

export interface FeedEvent extends StoredEvent {
  readonly runId: string;
  readonly workflow: string;
  readonly position: FeedPosition;
}

export interface FeedPage {
  readonly events: readonly FeedEvent[];
  /** Where the feed ends just now. */
  readonly end: FeedPosition;
}

const nobody = '00000000-0000-0000-0000-000000000000';

const endText = 'select pg_snapshot_xmin(pg_current_snapshot())::text as horizon';

const pageText = `select xact::text, run_id, seq, at, type, data::text as data, workflow
  from run_event join run on run.id = run_id
  where xact >= $1 and (xact, run_id, seq) > ($1::bigint, $2::uuid, $3::int) and xact < $4
  order by xact, run_id, seq limit $5`;

/** Below this position there is everything that there will ever be. Rejects with `UnavailableError`. */
export async function feedEnd({ pool }: Pick<Database, 'pool'>): Promise<FeedPosition> {
  const { rows } = await pool.query<{ horizon: string }>({ name: 'feed-end', text: endText }).catch(rethrow);
  return `${rows[0]?.horizon ?? '0'}-${nobody}-0`;
}

/** What comes after a position. Rejects with `UnavailableError`. */
export async function readFeed(
  database: Pick<Database, 'pool'>,
  { after, limit }: { readonly after: FeedPosition; readonly limit: number },
): Promise<FeedPage> {
  const end = await feedEnd(database);
  type Row = { xact: string; run_id: string; seq: number; at: string; type: string; data: string; workflow: string };
  const { rows } = await database.pool
    .query<Row>({ name: 'feed', text: pageText, values: [...partsOf(after), transactionOf(end), limit] })
    .catch(rethrow);
  const events = rows.map(({ xact, run_id: runId, seq, at, type, data, workflow }) => ({
    runId,
    workflow,
    seq,
    event: parseEvent(type, Number(at), data),
    position: `${xact}-${runId}-${seq}`,
  }));
  return { events, end };
}

/** Whether a position may lie ahead: it is of another database, or of this one before it was restored. */
export const isAhead = (position: FeedPosition, end: FeedPosition): boolean =>
  BigInt(transactionOf(position)) > BigInt(transactionOf(end));

export function isFeedPosition(text: string): boolean {
  const [, transaction = '', runId = '', seq = ''] = /^(\d{1,18})-(.{36})-(\d{1,9})$/.exec(text) ?? [];
  return transaction !== '' && seq !== '' && (runId === nobody || isRunId(runId));
}

const transactionOf = (position: FeedPosition): string => partsOf(position)[0];

function partsOf(position: FeedPosition): [transaction: string, runId: string, seq: string] {
  const [, transaction = '0', runId = nobody, seq = '0'] = /^(\d+)-(.{36})-(\d+)$/.exec(position) ?? [];
  return [transaction, runId, seq];
}

function rethrow(error: unknown): never {
  throw asTold(error);
}
