/** Runs that a trigger meets once: it has started a run for each of them. */
import type { Pool, PoolClient } from 'pg';

import { rethrowUnavailable } from '../database/databaseError.ts';

export interface RunNotice {
  readonly trigger: string;
  readonly runId: string;
}

/** Those of the notices that are there. Rejects with `UnavailableError`. */
export async function noticesOf(client: Pick<Pool, 'query'>, runIds: readonly string[]): Promise<readonly RunNotice[]> {
  if (runIds.length === 0) return [];
  const text = 'select trigger, run_id as "runId" from run_notice where run_id = any($1::uuid[])';
  return (await client.query<RunNotice>(text, [runIds]).catch(rethrowUnavailable)).rows;
}

/** Of a run that ended a day ago, no event is read any more. Rejects with `UnavailableError`. */
export async function keepNotices(client: PoolClient, notices: readonly RunNotice[]): Promise<void> {
  if (notices.length === 0) return;
  const columns = [notices.map(({ trigger }) => trigger), notices.map(({ runId }) => runId)];
  const text = `
    with over as (delete from run_notice where not exists (
      select from run where run.id = run_id and (ended_at is null or ended_at > now() - interval '1 day')))
    insert into run_notice (trigger, run_id) select * from unnest($1::text[], $2::uuid[])`;
  await client.query(text, columns).catch(rethrowUnavailable);
}
