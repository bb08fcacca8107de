import type { Database } from './database.ts';
import { rethrowUnavailable } from './databaseError.ts';

/** The current time of Postgres, epoch milliseconds. Rejects with `UnavailableError`. */
export async function databaseTime({ pool }: Pick<Database, 'pool'>): Promise<number> {
  const text = 'select extract(epoch from clock_timestamp()) * 1000 as now';
  const { rows } = await pool.query<{ now: string }>({ name: 'time', text }).catch(rethrowUnavailable);
  return Number(rows[0]?.now);
}
