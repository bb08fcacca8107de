import type { Pool } from 'pg';

import { rethrowUnavailable } from './databaseError.ts';

/** The rows that a statement returns. Rejects with `UnavailableError`. */
export async function queryRows<Row extends object>(
  client: Pick<Pool, 'query'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const { rows } = await client.query<Row>(text, [...values]).catch(rethrowUnavailable);
  return rows;
}
