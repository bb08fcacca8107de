import type { Database } from './database.ts';
import { queryRows } from './queryRows.ts';

/**
 * Eight hex digits that tell installations apart which share a Redis: the same in all processes of one database, and
 * after it has moved to another server. From the id that Prisma gave to the first migration, so a copy of a database has
 * it too. Call it after `migrate`. Rejects with `UnavailableError`.
 */
export async function installationId({ pool }: Pick<Database, 'pool'>): Promise<string> {
  const first = 'select left(md5(id), 8) as id from _prisma_migrations order by started_at, id limit 1';
  const [row] = await queryRows<{ id: string }>(pool, first);
  if (row === undefined) throw new Error('the database has no migration');
  return row.id;
}
