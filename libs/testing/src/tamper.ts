import type { Store } from '@baton/store';

/** Changes append-only tables, as the owner of the database could. `sql`: one statement or several. */
export async function tamper({ pool }: Pick<Store, 'pool'>, sql: string): Promise<void> {
  await pool.query(`begin; set local session_replication_role = replica; ${sql}; commit`);
}
