import { UnusableDatabaseError } from './checkDatabase.ts';
import { type Ask, GuardedClient } from './guardedClient.ts';

/** The server since its start, the database in it, and the schema. */
const placeSql = `select pg_postmaster_start_time()::text || ' ' || oid::text || ' ' || current_schema() as place
  from pg_database where datname = current_database()`;

/**
 * Throws where the pooler's address leads to another database than the direct one, and where it takes no transaction.
 * Rejects with the errors of `pg`.
 */
export async function checkPooler(pooledUrl: string, directUrl: string, connectMs = 15_000): Promise<void> {
  const [pooled, direct] = await Promise.all([
    placeOf(pooledUrl, true, connectMs),
    placeOf(directUrl, false, connectMs),
  ]);
  if (pooled === direct) return;
  throw new UnusableDatabaseError('3D000', 'it leads to another database, server or schema than BATON_DIRECT_URL');
}

async function placeOf(url: string, isPooled: boolean, connectMs: number): Promise<string | undefined> {
  const config = { connectionString: url, connectionTimeoutMillis: connectMs, query_timeout: connectMs };
  let place: string | undefined;
  const onOpened = async (ask: Ask): Promise<void> => {
    const { rows } = await ask(placeSql, []);
    place = (rows as { place: string }[])[0]?.place;
  };
  const client = await new GuardedClient(config, { isPooled, onOpened }).connect();
  await client.end();
  return place;
}
