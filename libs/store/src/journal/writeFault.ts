/** Tells why nothing can be written now: for readiness, since a Postgres that answers may take no writes. */
import type { Pool } from 'pg';

import { codeOf, rethrowUnavailable } from '../database/databaseError.ts';
import type { PinnedConnection } from '../database/pinnedConnection.ts';
import type { LastWrite } from './lastWrite.ts';

/** A connection that writes. */
export interface WritingConnection {
  readonly connection: PinnedConnection;
  readonly last: LastWrite;
}

const modeSql = `select pg_is_in_recovery(), current_setting('transaction_read_only')`;

/**
 * Some kilobytes of events that take room as those of a run do, and are rolled back. Incompressible, and too small to be
 * stored elsewhere.
 */
const trialSql = `do $$ begin
    insert into run_event (run_id, seq, at, type, data, hash)
      select gen_random_uuid(), 1, 0, 'trial', to_json(string_agg(md5(random()::text), '')), ''
      from generate_series(1, 6) as event, generate_series(1, 55) as part group by event;
    raise exception using errcode = 'BT002';
  exception when sqlstate 'BT002' then null; end $$`;

/**
 * A sentence that says why the journal cannot be written to; undefined: it can. Every part is asked on the connection that
 * does the work. After a write that failed, a write is tried. Rejects with `UnavailableError` where Postgres is unreachable.
 */
export async function writeFault(pool: Pool, writing: readonly WritingConnection[]): Promise<string | undefined> {
  try {
    const found = await Promise.all([
      pool.query({ name: 'ping', text: 'select 1' }).then(() => undefined),
      ...writing.slice(0, 1).map(({ connection }) => faultOfMode(connection)),
      ...writing.map(faultOfLast),
    ]);
    return found.find((fault) => fault !== undefined);
  } catch (error) {
    if (codeOf(error) === '53300') return 'Postgres has no connection left for this process.';
    return rethrowUnavailable(error);
  }
}

async function faultOfMode(connection: PinnedConnection): Promise<string | undefined> {
  const { rows } = await connection.query({ name: 'mode', text: modeSql });
  const [[isRecovering, isReadOnly] = []] = rows;
  if (isRecovering === 't') return 'Postgres is a standby that was not promoted, so nothing can be written.';
  return isReadOnly === 'on' ? 'Postgres is read-only, so nothing can be written.' : undefined;
}

async function faultOfLast({ connection, last }: WritingConnection): Promise<string | undefined> {
  if (last.failure === undefined) return undefined;
  try {
    await connection.query({ text: trialSql });
    last.succeeded();
    return undefined;
  } catch (error) {
    return /^53[12]00$/.test(codeOf(error))
      ? 'Postgres has no room left (disk or memory), so nothing can be written.'
      : 'Nothing can be written: the last write failed, and a trial failed as well.';
  }
}
