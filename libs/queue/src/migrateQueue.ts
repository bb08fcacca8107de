import {
  assertSchemaCompatibility,
  LATEST_SCHEMA_VERSION,
  type PgQueryable,
  runMigrations,
  SchemaMigrationRequiredError,
} from 'bullmq';

import type { QueueTables } from './postgresBacking.ts';

/**
 * Makes BullMQ's tables, or those that a later version of it needs. Where all are there, it needs no right to make any: a
 * role that may not, works after a migration by one that may.
 */
export async function migrateQueue({ url, schema, Client }: QueueTables, answerMs: number): Promise<void> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const version = await assertSchemaCompatibility(client, schema).catch((error: unknown) => {
      if (error instanceof SchemaMigrationRequiredError) return 0;
      throw error;
    });
    if (version < LATEST_SCHEMA_VERSION) await runMigrations(await withSchema(client, schema), schema);
  } finally {
    await client.end();
  }
}

/** To make a schema needs a right of the database even where the schema is there. */
async function withSchema(client: PgQueryable, schema: string): Promise<PgQueryable> {
  const { rows } = await client.query('select to_regnamespace($1) is not null as "isThere"', [schema]);
  const [found] = rows as { isThere: boolean }[];
  const query = async (text: string, values?: unknown[]): Promise<{ rows: unknown[] }> =>
    found?.isThere === true && text.startsWith('CREATE SCHEMA') ? { rows: [] } : client.query(text, values);
  return { query } as PgQueryable;
}
