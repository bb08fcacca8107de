/** Records which runs use which large values. A value is stored once for all runs that use it. */
import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';
import { isRunId } from '../database/runId.ts';

/** The run $1 and all runs that it started, whose outputs it may use. */
const family = `with recursive family (id) as (
  select $1::uuid union all select run.id from run join family on run.parent_run_id = family.id
)`;

const text = `${family}
  select exists (select from blob_use join family on run_id = family.id where sha256 = decode($2, 'hex')) as used`;

/** Whether the run, or one that it started, refers to this value. Rejects with `UnavailableError`. */
export async function usesBlob({ pool }: Database, runId: string, sha256: string): Promise<boolean> {
  if (!isRunId(runId) || !/^[\da-f]{64}$/.test(sha256)) return false;
  const { rows } = await pool.query<{ used: boolean }>(text, [runId, sha256]).catch(rethrowUnavailable);
  return rows[0]?.used === true;
}
