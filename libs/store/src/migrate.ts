import { randomUUID } from 'node:crypto';

import type { Client } from 'pg';

import { lockNumber } from './database/advisoryLocks.ts';
import { checkDatabase, makeSchema } from './database/checkDatabase.ts';
import { readDatabaseAddress } from './database/databaseAddress.ts';
import { GuardedClient } from './database/guardedClient.ts';
import { readMigrations, type Migration } from './database/migrationFiles.ts';
import { refusePooler } from './database/refusePooler.ts';
import { renumberFeed } from './journal/renumberFeed.ts';
import { guardRemoval } from './retention/guardRemoval.ts';
import { noteOldToolNames } from './workflows/toolNames.ts';

/** The first migration makes the usual schema, which needs a right of the database even where the schema is there. */
const ofSchema = 'CREATE SCHEMA IF NOT EXISTS "public";';

interface MigrationOptions {
  readonly connectMs?: number;
  /** Called again and again while another process migrates, with a sentence about that process. */
  readonly onWait?: (told: string) => void;
  /** Called with a sentence where a newer Baton has migrated the database. */
  readonly onNewer?: (told: string) => void;
  /** Until the first such call, and between two. */
  readonly waitMs?: number;
}

/**
 * Applies the missing migrations to the database at `url` and returns their names. Each is applied and recorded in one
 * transaction, so that a process may be stopped at any moment (decision 24). Processes that start at once wait for each
 * other here. Rejects with the errors of `pg`; after `connectMs` where something accepts the connection and does not
 * answer as Postgres does; with `UnusableDatabaseError`.
 */
export async function migrate(url: string, options: MigrationOptions = {}): Promise<readonly string[]> {
  const { connectMs = 15_000, onWait = () => undefined, onNewer = () => undefined, waitMs = 5_000 } = options;
  const connect = (): Promise<Client> =>
    new GuardedClient({ connectionString: url, connectionTimeoutMillis: connectMs }).connect();
  const client = await connect();
  try {
    await refusePooler(client, connect);
    await lockMigrations(client, onWait, waitMs);
    const known = await readMigrations();
    const applied = await appliedMigrations(client);
    const newest = [...applied.keys()]
      .filter((name) => !known.some((one) => one.name === name))
      .toSorted()
      .at(-1);
    if (newest !== undefined)
      onNewer(
        `the database was migrated by a newer Baton (${newest}): this one may run beside it during an upgrade, and makes no use of what is new`,
      );
    const missing = missingMigrations(applied, known);
    if (missing.length > 0) {
      await makeSchema(client, readDatabaseAddress(url).schema);
      await checkDatabase(client);
      await client.query(tableOfMigrations);
      for (const migration of missing) await apply(client, migration);
    }
    await finish(client);
    return missing.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

async function lockMigrations(client: Client, onWait: (told: string) => void, waitMs: number): Promise<void> {
  await client.query(`set lock_timeout = ${waitMs}`);
  while (!(await isLocked(client))) onWait(await describeMigrator(client));
  await client.query('set lock_timeout = 0');
}

/** False where another process has had the lock for as long as `lock_timeout`. */
const isLocked = (client: Client): Promise<boolean> =>
  client.query(`select pg_advisory_lock(${lockNumber('migrating')})`).then(
    () => true,
    (error: { readonly code?: string }) => {
      if (error.code === '55P03') return false;
      throw error;
    },
  );

async function describeMigrator(client: Client): Promise<string> {
  const { rows } = await client.query<{ pid: number; host: string; since: Date }>(
    `select pid, coalesce(host(client_addr), 'its own machine') as host, backend_start as since
     from pg_stat_activity join pg_locks using (pid)
     where locktype = 'advisory' and granted and (classid::bigint << 32) + objid::bigint = (${lockNumber('migrating')})
       and database = (select oid from pg_database where datname = current_database())`,
  );
  const [holder] = rows;
  if (holder === undefined) return 'this start waits for one that migrates the database';
  const { pid, host, since } = holder;
  return `this start waits for one that migrates the database: session ${pid} of Postgres, from ${host}, since ${since.toISOString()}`;
}

/** Changes that SQL alone cannot express. Repeated at each start, since an earlier one may have broken off here. */
async function finish(client: Client): Promise<void> {
  await guardRemoval(client);
  await noteOldToolNames(client);
  await renumberFeed(client);
}

/** SQLSTATEs of duplicate tables, schemas, columns, indexes and functions. */
const madeBefore = new Set(['42P07', '42P06', '42701', '42710', '42723']);
/** Those of missing columns, indexes and tables. */
const droppedBefore = new Set(['42703', '42704', '42P01']);
const beginsWithDrop = /^(?:\s|--.*\n)*(?:drop|alter table \S+ drop)\b/i;

/** Whether a script that is applied a second time fails in this way. */
const failsAsAppliedBefore = (script: string, { code = '' }: { readonly code?: string }): boolean =>
  beginsWithDrop.test(script) ? droppedBefore.has(code) : madeBefore.has(code);

/**
 * A Baton before 2026-11-26 recorded a migration after it had applied it, each in a transaction of its own. If it was
 * stopped between the two, the row has no end and no error in its logs, and what the script makes is there already.
 */
async function apply(client: Client, { name, script, checksum }: Migration): Promise<void> {
  const record = [randomUUID(), checksum, name];
  await client.query('begin');
  try {
    const { rows: broken } = await client.query<{ logs: string | null }>(
      `delete from _prisma_migrations where migration_name = $1 and finished_at is null and rolled_back_at is null
       returning logs`,
      [name],
    );
    await client.query('savepoint script');
    await client.query(script.replace(ofSchema, '')).catch(async (error: { code?: string }) => {
      const mayBeApplied = broken.length > 0 && broken.every(({ logs }) => (logs ?? '') === '');
      if (!mayBeApplied || !failsAsAppliedBefore(script, error)) throw error;
      await client.query('rollback to savepoint script');
    });
    await client.query(recordApplied, record);
    await client.query('commit');
  } catch (error) {
    // If the connection is gone, so is the transaction.
    await client.query('rollback').catch(() => undefined);
    throw migrationError(name, error);
  }
}

const migrationError = (name: string, cause: unknown): Error =>
  new Error(`The migration ${name} failed, and changed nothing: ${(cause as Error).message}`, { cause });

const recordApplied = `insert into _prisma_migrations
  (id, checksum, migration_name, finished_at, applied_steps_count) values ($1, $2, $3, now(), 1)`;

/** As Prisma makes it: `prisma migrate status` reads it. */
const tableOfMigrations = `create table if not exists _prisma_migrations (
  id varchar(36) primary key not null,
  checksum varchar(64) not null,
  finished_at timestamptz,
  migration_name varchar(255) not null,
  logs text,
  rolled_back_at timestamptz,
  started_at timestamptz not null default now(),
  applied_steps_count integer not null default 0
)`;

/** To the name of each, its checksum. Empty where there is no table of migrations. */
async function appliedMigrations(client: Client): Promise<ReadonlyMap<string, string>> {
  const { rows: tables } = await client.query<{ exists: boolean }>(
    `select to_regclass('_prisma_migrations') is not null as exists`,
  );
  if (tables[0]?.exists !== true) return new Map();
  const { rows } = await client.query<{ name: string; checksum: string }>(
    `select migration_name as name, checksum from _prisma_migrations
     where finished_at is not null and rolled_back_at is null`,
  );
  return new Map(rows.map(({ name, checksum }) => [name, checksum]));
}

/** Throws if a migration was edited after it had been applied. */
function missingMigrations(
  applied: ReadonlyMap<string, string>,
  migrations: readonly Migration[],
): readonly Migration[] {
  const edited = migrations.find(({ name, checksum }) => applied.has(name) && applied.get(name) !== checksum);
  if (edited !== undefined) {
    throw new Error(`The migration ${edited.name} was changed after it had been applied to this database.`);
  }
  return migrations.filter(({ name }) => !applied.has(name));
}
