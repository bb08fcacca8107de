import type { Database } from './database.ts';
import { rethrowUnavailable } from './databaseError.ts';

/** The current time of Postgres, epoch milliseconds. Rejects with `UnavailableError`. */
export async function databaseTime({ liveness }: Pick<Database, 'liveness'>): Promise<number> {
  const text = 'select extract(epoch from clock_timestamp()) * 1000';
  const { rows } = await liveness.query({ name: 'time', text }).catch(rethrowUnavailable);
  return Number(rows[0]?.[0]);
}
