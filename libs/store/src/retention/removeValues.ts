/**
 * Removes the large values of removed runs, a few at a time, so that no append waits for long. What is left to remove is
 * written down in `blob_use`: uses by runs that are gone.
 */
import type { Database } from '../database/database.ts';
import { isValueInUse, rethrowUnavailable } from '../database/databaseError.ts';
import { queryRows } from '../database/queryRows.ts';
import { firstRunId } from '../database/runId.ts';
import { inTransaction } from '../database/transaction.ts';
import { walkInOrder } from '../database/walkInOrder.ts';

export interface RemoveValues {
  /** Only uses by runs that were made before this instant. Epoch milliseconds. */
  readonly before: number;
  /** Only uses after this one. */
  readonly after?: BlobUse | undefined;
}

export interface BlobUse {
  readonly runId: string;
  /** Hexadecimal. */
  readonly sha256: string;
}

export interface RemovedValues {
  readonly values: number;
  /** `after` of the next call; absent: all uses were looked at. */
  readonly next?: BlobUse;
}

type RemovalDatabase = Pick<Database, 'pool' | 'values'>;

const lookedAtMax = 2_000;
/** In one statement, unless a single value is larger. */
const removedMax = { uses: 200, bytes: 8 * 1024 * 1024 };

/** Removes one batch, oldest first. Rejects with `UnavailableError`. */
export async function removeValues(database: RemovalDatabase, order: RemoveValues): Promise<RemovedValues> {
  const { pool } = database;
  const { runId, sha256 } = order.after ?? { runId: firstRunId(0), sha256: '' };
  const looked = await inTransaction(pool, async (client) => {
    await walkInOrder(client);
    return queryRows<LookedAtUse>(client, lookSql, [runId, sha256, firstRunId(order.before), lookedAtMax]);
  });
  let bytes = 0;
  const batch: BlobUse[] = [];
  for (const use of looked) {
    if (!use.isUnused) continue;
    if (batch.length === removedMax.uses || (batch.length > 0 && bytes + use.bytes > removedMax.bytes)) {
      const next = batch.at(-1);
      return { values: await remove(database, batch), ...(next && { next }) };
    }
    batch.push(use);
    bytes += use.bytes;
  }
  const values = await remove(database, batch);
  const next = looked.length === lookedAtMax ? looked.at(-1) : undefined;
  return next === undefined ? { values } : { values, next: { runId: next.runId, sha256: next.sha256 } };
}

interface LookedAtUse extends BlobUse {
  readonly isUnused: boolean;
  readonly bytes: number;
}

const lookSql = `select run_id as "runId", encode(sha256, 'hex') as sha256,
    not exists (select from run where run.id = run_id) as "isUnused",
    coalesce((select octet_length(text) from blob where blob.sha256 = blob_use.sha256), 0) as bytes
  from blob_use where run_id >= $1::uuid and (run_id, sha256) > ($1::uuid, decode($2, 'hex')) and run_id < $3::uuid
  order by run_id, sha256 limit $4`;

const removeSql = `with unused as (
    select run_id, decode(digest, 'hex') as sha256 from unnest($1::uuid[], $2::text[]) as w(run_id, digest)
  ), gone as (
    delete from blob_use using unused where blob_use.run_id = unused.run_id and blob_use.sha256 = unused.sha256
  )
  delete from blob where sha256 in (select sha256 from unused) and not exists (
    select from blob_use as other where other.sha256 = blob.sha256
      and not exists (select from unused where unused.sha256 = other.sha256 and unused.run_id = other.run_id))
  returning place`;

/** Values that a run begins to use at this moment are left to the next pass, with the rest of the batch. */
async function remove({ pool, values: place }: RemovalDatabase, uses: readonly BlobUse[]): Promise<number> {
  if (uses.length === 0) return 0;
  const values = [uses.map(({ runId }) => runId), uses.map(({ sha256 }) => sha256)];
  try {
    const { rows } = await pool.query<{ place: string | null }>(removeSql, values);
    // After the rows, so that none leads to an object that is gone. What cannot be removed now is left behind, unread.
    const elsewhere = rows.flatMap((row) => row.place ?? []);
    await Promise.all(elsewhere.map(async (key) => place?.remove(key).catch(() => undefined)));
    return rows.length;
  } catch (error) {
    return isValueInUse(error) ? 0 : rethrowUnavailable(error);
  }
}
