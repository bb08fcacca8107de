import type { Pool, PoolClient } from 'pg';

import { rethrowUnavailable } from './databaseError.ts';

/**
 * Calls `work` within a new transaction, and commits when it resolves. Rejects with the errors of `work` and with
 * `UnavailableError`; nothing is written then, unless the commit itself failed.
 */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect().catch(rethrowUnavailable);
  let broken: Error | undefined;
  const onError = (error: Error): void => void (broken = error);
  client.on('error', onError);
  try {
    await client.query('begin').catch(rethrowUnavailable);
    const result = await work(client);
    await client.query('commit').catch(rethrowUnavailable);
    return result;
  } catch (error) {
    await client.query('rollback').catch((failure: unknown) => void (broken ??= failure as Error));
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}
