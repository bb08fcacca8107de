import { liveness } from '@baton/runner';
import type { Pool, PoolClient } from 'pg';

import { rethrowUnavailable } from './databaseError.ts';

/**
 * Postgres ends a transaction that is idle for longer, since others wait for its locks: those of a process that was stopped
 * are free again before the fence of another can close.
 */
const idleMostMs = liveness.fenceMs - liveness.heartbeatMs;

/**
 * Calls `work` within a new transaction, and commits when it resolves. Rejects with the errors of `work` and with
 * `UnavailableError`; nothing is written then, unless the commit itself failed. `idleMs`: of a transaction for whose locks no
 * process waits.
 */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
  idleMs = idleMostMs,
): Promise<Result> {
  const client = await pool.connect().catch(rethrowUnavailable);
  let broken: Error | undefined;
  const onError = (error: Error): Error => (broken = error);
  client.on('error', onError);
  try {
    await client.query(`begin; set local idle_in_transaction_session_timeout = ${idleMs}`).catch(rethrowUnavailable);
    const result = await work(client);
    await client.query('commit').catch(rethrowUnavailable);
    return result;
  } catch (error) {
    await client.query('rollback').catch((failure: unknown) => (broken ??= failure as Error));
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}
