import type { Meter, Meters } from '@baton/runner';

import type { Database } from '../database/database.ts';
import { queryRows } from '../database/queryRows.ts';

/** Meters in Postgres, by its clock. The functions of the database take the lock of the row. */
export function storedMeters({ pool }: Pick<Database, 'pool'>): Meters {
  return {
    async take({ name, server, everyMs, burst, withinMs }: Meter) {
      type Row = { is_taken: boolean; wait_ms: number };
      const text = 'select is_taken, wait_ms from take_call_turn($1, $2, $3, $4, $5)';
      const [row] = await queryRows<Row>(pool, text, [name, server, everyMs, burst, withinMs ?? null]);
      return { isTaken: row?.is_taken ?? false, waitMs: row?.wait_ms ?? 0 };
    },
    async pause(server, forMs) {
      const text = `insert into call_meter (name, full_at) values ($1, clock_timestamp() + $2 * interval '1 ms')
        on conflict (name) do update set full_at = greatest(call_meter.full_at, excluded.full_at)`;
      await queryRows(pool, text, [pauseOf(server), forMs]);
    },
    async pauses() {
      type Row = { name: string; left_ms: number };
      const text = `select name, (extract(epoch from full_at - clock_timestamp()) * 1000)::float8 as left_ms
        from call_meter where name like 'pause %' and full_at > clock_timestamp()`;
      const rows = await queryRows<Row>(pool, text, []);
      return new Map(rows.map(({ name, left_ms: leftMs }) => [name.slice(pauseOf('').length), leftMs] as const));
    },
  };
}

const pauseOf = (server: string): string => `pause ${server}`;

/** Removes meters that are full again: a new one is the same. Rejects with `UnavailableError`. */
export async function dropFullMeters({ pool }: Pick<Database, 'pool'>): Promise<void> {
  await queryRows(pool, `delete from call_meter where full_at < clock_timestamp() - interval '1 hour'`, []);
}
