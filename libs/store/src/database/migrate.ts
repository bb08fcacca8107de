import type { Client } from 'pg';

import { guardRemoval } from '../retention/guardRemoval.ts';
import { noteOldToolNames } from '../workflows/toolNames.ts';
import { GuardedClient } from './guardedClient.ts';
import { migrationList, readMigrations, readSchema } from './migrationFiles.ts';
import type { Migration } from './migrationFiles.ts';
import { withSchemaEngine } from './schemaEngine.ts';

/** The number of the advisory lock for migrations; Prisma's engines lock another number. */
const lockKey = 4_400_001;

/**
 * Applies the missing migrations to the database at `url` and returns their names. Processes that start at once wait for
 * each other here. The engine is loaded only if a migration is missing. Rejects with the errors of `pg`; after
 * `connectMs` where something accepts the connection and does not answer as Postgres does.
 */
export async function migrate(url: string, connectMs = 15_000): Promise<readonly string[]> {
  const client = new GuardedClient({ connectionString: url, connectionTimeoutMillis: connectMs });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey]);
    const migrations = await readMigrations();
    if (await isUpToDate(client, migrations)) {
      await finish(client);
      return [];
    }
    await checkRights(client);
    const migrationsList = await migrationList(migrations);
    const filters = { externalTables: [], externalEnums: [] };
    const { appliedMigrationNames } = await withSchemaEngine(url, await readSchema(), (engine) =>
      engine.applyMigrations({ migrationsList, filters }),
    );
    await finish(client);
    return appliedMigrationNames;
  } finally {
    await client.end();
  }
}

/** The role may not make what Baton stores in. `code` is that of Postgres, whose own message comes from within an engine. */
class RightsError extends Error {
  override readonly name = 'RightsError';
  readonly code = '42501';
}

async function checkRights(client: Client): Promise<void> {
  const { rows } = await client.query<{ role: string; database: string; may: boolean | null }>(
    `select current_user as role, current_database() as database,
       has_schema_privilege(current_schema(), 'create') as may`,
  );
  const [{ role, database, may } = { role: '', database: '', may: null }] = rows;
  if (may === true) return;
  throw new RightsError(
    `the role "${role}" may not make tables in the database "${database}"; let it own the database`,
  );
}

/** Changes that SQL alone cannot express. Repeated at each start, since an earlier one may have broken off here. */
async function finish(client: Client): Promise<void> {
  await guardRemoval(client);
  await noteOldToolNames(client);
}

async function isUpToDate(client: Client, migrations: readonly Migration[]): Promise<boolean> {
  const { rows: tables } = await client.query<{ exists: boolean }>(
    `select to_regclass('_prisma_migrations') is not null as exists`,
  );
  if (tables[0]?.exists !== true) return false;
  const { rows } = await client.query<{ name: string; checksum: string }>(
    `select migration_name as name, checksum from _prisma_migrations
     where finished_at is not null and rolled_back_at is null`,
  );
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]));
  const edited = migrations.find(({ name, checksum }) => applied.has(name) && applied.get(name) !== checksum);
  if (edited !== undefined) {
    throw new Error(`The migration ${edited.name} was changed after it had been applied to this database.`);
  }
  return migrations.every(({ name }) => applied.has(name));
}
