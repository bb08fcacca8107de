import type { Database } from './database.ts';
import { rethrowUnavailable } from './databaseError.ts';

/** Resolves when the database answers. Rejects with `UnavailableError`. */
export async function ping({ pool }: Database): Promise<void> {
  await pool.query({ name: 'ping', text: 'select 1' }).catch(rethrowUnavailable);
}
