import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { isRunId } from '../database/runId.ts';
import { type StoredEvent, parseEvent } from './eventText.ts';
import { withinBytes } from './withinBytes.ts';

export interface AuditedEvent extends StoredEvent {
  /** The stored text of the event and its hash, for `verifyChain`. */
  readonly data: string;
  readonly hash: string;
}

export interface JournalPage {
  readonly events: readonly AuditedEvent[];
  readonly isMore: boolean;
}

const text = withinBytes(
  `select seq, at, type, data::text as data, encode(hash, 'hex') as hash
   from run_event where run_id = $1 and seq > $2 order by seq limit $3`,
  'seq',
);

/**
 * At most `limit` events after position `after`, oldest first; none if there is no such run. Rejects with
 * `UnavailableError`.
 */
export async function readPage(
  { pool }: Database,
  runId: string,
  { after = 0, limit }: { readonly after?: number; readonly limit: number },
): Promise<JournalPage> {
  // Positions are 32-bit integers; Postgres would refuse a larger one.
  if (!isRunId(runId) || after >= 2 ** 31) return { events: [], isMore: false };
  type Row = { seq: number; at: string; type: string; data: string; hash: string; isCut: boolean };
  const { rows } = await pool
    .query<Row>({ name: 'page', text, values: [runId, after, limit + 1] })
    .catch(rethrowUnavailable);
  const events = rows
    .slice(0, limit)
    .map(({ seq, at, type, data, hash }) => ({ seq, event: parseEvent(type, Number(at), data), data, hash }));
  return { events, isMore: rows.length > limit || rows.at(-1)?.isCut === true };
}
