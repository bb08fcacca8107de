import type { Store } from '@baton/store';

/** Changes what is append only, as somebody could who owns the database. `sql`: one statement or several. */
export async function tamper({ pool }: Pick<Store, 'pool'>, sql: string): Promise<void> {
  await pool.query(`begin; set local session_replication_role = replica; ${sql}; commit`);
}
