import type { Database } from '../database/database.ts';
import { rethrowUnavailable } from '../database/databaseError.ts';

const text = `select id, seq from unnest($1::uuid[]) as wanted(id)
  cross join lateral (select seq from run_event where run_id = wanted.id order by seq desc limit 1) as last`;

/** By run: the position of the journal's last event. `runIds` must be run ids. Rejects with `UnavailableError`. */
export async function lastPositions(
  { pool }: Database,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (runIds.length === 0) return new Map();
  const { rows } = await pool
    .query<{ id: string; seq: number }>({ name: 'last-positions', text, values: [[...runIds]] })
    .catch(rethrowUnavailable);
  return new Map(rows.map(({ id, seq }) => [id, seq]));
}
