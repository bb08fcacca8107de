import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

import { freshDatabase, freshStore, requestedEvent, testSecretKey, transactionPooler } from '@baton/testing';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';

import { advisoryLocks } from './database/advisoryLocks.ts';
import { readMigrations } from './database/migrationFiles.ts';
import { grantRuntime } from './database/runtimeRole.ts';
import { putApiKey } from './keys/apiKeys.ts';
import { migrate } from './migrate.ts';
import { openStore } from './openStore.ts';
import { listRuns } from './runs/listRuns.ts';
import { schemaDifference } from './testing/schemaEngine.ts';
import { definitionOf } from './workflows/definitions.ts';
import { deployWorkflow } from './workflows/deployWorkflow.ts';
import { findToolOwner } from './workflows/toolNames.ts';
import { listWorkflows } from './workflows/workflows.ts';

async function emptyDatabase(): Promise<{ url: string; rows: (text: string) => Promise<unknown[]> }> {
  const { url, drop } = await freshDatabase('empty');
  const client = new Client(url);
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await drop();
  });
  return { url, rows: async (text) => (await client.query(text)).rows };
}

/** Accepts connections, and says nothing. */
async function silentServer(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return `postgres://baton:x@127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/baton`;
}

/** Ends the connection of a migration while its script waits for a lock. */
async function stopMigrating({ url, rows }: Awaited<ReturnType<typeof emptyDatabase>>): Promise<void> {
  await rows('begin; lock table run in access share mode');
  // It may fail before the test asks how.
  const stopped = migrate(url).then(
    () => 'it did not fail',
    (error: Error) => error.message,
  );
  const waiting = `from pg_locks where not granted and relation = 'run'::regclass`;
  await expect.poll(() => rows(`select pid ${waiting}`)).toHaveLength(1);
  await rows(`select pg_terminate_backend(pid) ${waiting}`);
  expect(await stopped).toContain('terminating connection');
  await rows('commit');
}

describe('migrating', () => {
  test('what listens and does not answer as Postgres does is not waited for without end', async () => {
    await expect(migrate(await silentServer(), { connectMs: 100 })).rejects.toThrow('timeout expired');
  });

  test('a pooler that pools transactions is refused before anything is locked or made', async () => {
    const { url, rows } = await emptyDatabase();
    const pooler = await transactionPooler(url);
    onTestFinished(() => pooler.close());
    await expect(migrate(pooler.url)).rejects.toMatchObject({ code: '0A000' });
    const held = `select from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`;
    expect(await rows(held)).toEqual([]);
    expect(await rows(`select from pg_tables where schemaname = 'public'`)).toEqual([]);
  });

  test('a start that waits for another one says so, and for which', async () => {
    const { url, rows } = await emptyDatabase();
    await rows(`select pg_advisory_lock(${advisoryLocks.migrating})`);
    const told = Promise.withResolvers<string>();
    const migrated = migrate(url, { onWait: told.resolve, waitMs: 50 });
    const [holder] = (await rows('select pg_backend_pid() as pid')) as { pid: number }[];
    expect(await told.promise).toContain(`session ${holder?.pid} of Postgres, from `);
    await rows(`select pg_advisory_unlock(${advisoryLocks.migrating})`);
    expect((await migrated).length).toBeGreaterThan(0);
  });

  test('a role that may not make tables is named, with the database', async () => {
    const { url, rows } = await emptyDatabase();
    const role = `guest_${randomUUID().slice(0, 8)}`;
    await rows(`create role ${role} login password 'guest'`);
    onTestFinished(async () => void (await rows(`drop role ${role}`)));
    await rows('revoke create on schema public from public');
    const guest = new URL(url);
    [guest.username, guest.password] = [role, 'guest'];
    await expect(migrate(guest.href)).rejects.toMatchObject({
      code: '42501',
      message: `the role "${role}" may not make tables in the schema "public" of the database "${guest.pathname.slice(1)}"`,
    });
  });

  test('two installations of one database have a schema each, and a role that may make no table runs one of them', async () => {
    const { url, rows } = await emptyDatabase();
    const [owner, runner] = ['owner', 'runner'].map((name) => `${name}_${randomUUID().slice(0, 8)}`);
    await rows(`create role ${owner} login password 'x'; create role ${runner} login password 'x';
      create schema shop authorization ${owner}`);
    const asRole = (role: string | undefined, schema: string): string => {
      const own = new URL(url);
      [own.username, own.password] = [role ?? '', 'x'];
      own.searchParams.set('schema', schema);
      return own.href;
    };
    await migrate(url);
    await migrate(asRole(owner, 'shop'));
    await expect(migrate(asRole(owner, 'other'))).rejects.toMatchObject({
      code: '42501',
      message: expect.stringContaining('has no schema "other", and the role') as string,
    });
    await grantRuntime(asRole(owner, 'shop'), String(runner), ['shop']);
    expect(await migrate(asRole(runner, 'shop'))).toEqual([]);
    const store = openStore({ url: asRole(runner, 'shop'), secretKey: testSecretKey });
    const { runId } = await store.request({ event: requestedEvent() });
    await putApiKey(store, { id: 'a', name: 'a', secretHash: new Uint8Array(32), scopes: ['read'], createdBy: 'test' });
    expect(await listRuns(store, {}, { limit: 10 })).toMatchObject({ runs: [{ id: runId }] });
    expect(await rows('select id from public.run')).toEqual([]);
    expect(await rows('select id from shop.api_key')).toEqual([{ id: 'a' }]);
    await store.close();
    await rows(`drop owned by ${owner}, ${runner} cascade; drop role ${owner}; drop role ${runner}`);
  });

  test('a process that is older than the database says so, and changes nothing', async () => {
    const { url, rows } = await emptyDatabase();
    await migrate(url);
    await rows(`insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
      values ('x', 'x', '29991231000000_later', now(), 1)`);
    const told: string[] = [];
    expect(await migrate(url, { onNewer: (what) => told.push(what) })).toEqual([]);
    expect(told).toEqual([expect.stringContaining('migrated by a newer Baton (29991231000000_later)')]);
  });

  test('an empty database gets every migration, as Prisma records them', async () => {
    const { url, rows } = await emptyDatabase();
    const migrations = await readMigrations();
    await expect(migrate(url)).resolves.toEqual(migrations.map(({ name }) => name));
    const recorded = await rows(
      `select migration_name as name, checksum from _prisma_migrations where finished_at is not null order by 1`,
    );
    expect(recorded).toEqual(migrations.map(({ name, checksum }) => ({ name, checksum })));
  });

  test('a second time there is nothing to do', async () => {
    const { url } = await emptyDatabase();
    await migrate(url);
    await expect(migrate(url)).resolves.toEqual([]);
  });

  test('processes that start at once migrate once', async () => {
    const { url, rows } = await emptyDatabase();
    const migrations = await readMigrations();
    const applied = await Promise.all([migrate(url), migrate(url), migrate(url)]);
    expect(applied.flat()).toHaveLength(migrations.length);
    await expect(rows('select 1 from _prisma_migrations')).resolves.toHaveLength(migrations.length);
  });

  test('a process waits while another one migrates, before it looks at anything', async () => {
    const { url, rows } = await emptyDatabase();
    await rows('select pg_advisory_lock(4400001)');
    const migrated = migrate(url);
    const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted and objid = 4400001
      and database = (select oid from pg_database where datname = current_database())`;
    await expect.poll(() => rows(waiting)).toHaveLength(1);
    await expect(rows(`select 1 where to_regclass('_prisma_migrations') is not null`)).resolves.toEqual([]);
    await rows('select pg_advisory_unlock(4400001)');
    await expect(migrated).resolves.not.toEqual([]);
  });

  test('a process that is stopped in the middle leaves nothing half done: the next one goes on', async () => {
    const { url, rows } = await emptyDatabase();
    await migrate(url);
    const sharing = (await readMigrations()).find(({ name }) => name.endsWith('_fair_share'));
    await rows(`delete from _prisma_migrations where migration_name = '${sharing?.name}'`);
    await rows('drop index run_fair_share');
    await stopMigrating({ url, rows });
    await expect(rows('select 1 from _prisma_migrations where finished_at is null')).resolves.toEqual([]);
    await expect(migrate(url)).resolves.toEqual([sharing?.name]);
  });

  test.each([true, false])(
    'what an older Baton left without an end is taken up (was applied: %s)',
    async (wasApplied) => {
      const { url, rows } = await emptyDatabase();
      const names = (await readMigrations()).map(({ name }) => name);
      await migrate(url);
      await rows('update _prisma_migrations set finished_at = null');
      if (!wasApplied) {
        await rows(`delete from _prisma_migrations where migration_name <> '${names[0]}'`);
        await rows(`create schema kept; alter table _prisma_migrations set schema kept;
        drop schema public cascade; create schema public; alter table kept._prisma_migrations set schema public`);
      }
      await expect(migrate(url)).resolves.toEqual(names);
      await expect(migrate(url)).resolves.toEqual([]);
    },
  );

  test('what failed in an older Baton, with an error in its logs, is not taken for applied', async () => {
    const { url, rows } = await emptyDatabase();
    await migrate(url);
    await rows(
      `update _prisma_migrations set finished_at = null, logs = 'it failed' where migration_name like '%_turns'`,
    );
    await expect(migrate(url)).rejects.toThrow('relation "turn" already exists');
    await expect(rows('select 1 from _prisma_migrations where finished_at is null')).resolves.toHaveLength(1);
  });

  test('what does not fail as a script that was applied before is not taken for applied', async () => {
    const { url, rows } = await emptyDatabase();
    await migrate(url);
    await rows(`update _prisma_migrations set finished_at = null where migration_name like '%_fair_share'`);
    await rows('drop index run_fair_share; drop index run_active');
    await expect(migrate(url)).rejects.toThrow('index "run_active" does not exist');
  });

  test('a repair that is stopped in the middle is made at the next start', async () => {
    const { url, rows } = await emptyDatabase();
    await migrate(url);
    await rows(`update _prisma_migrations set finished_at = null where migration_name like '%_fair_share'`);
    await rows('drop index run_fair_share');
    await stopMigrating({ url, rows });
    await expect(rows('select 1 from _prisma_migrations where finished_at is null')).resolves.toHaveLength(1);
    await expect(migrate(url)).resolves.toHaveLength(1);
  });

  test('a database with tables of something else is refused', async () => {
    const { url, rows } = await emptyDatabase();
    await rows('create table orders (id int)');
    await expect(migrate(url)).rejects.toMatchObject({
      code: '3D000',
      message: expect.stringContaining('has tables of something else, such as "orders"') as string,
    });
    await rows('drop table orders');
    await expect(migrate(url)).resolves.not.toEqual([]);
  });

  test('a migration that cannot be applied is named', async () => {
    const { url, rows } = await emptyDatabase();
    await rows('create view run as select 1');
    const [{ name } = { name: '' }] = await readMigrations();
    await expect(migrate(url)).rejects.toThrow(`The migration ${name} failed, and changed nothing: relation "run"`);
  });

  test('a migration that was edited after it had been applied is refused by its name', async () => {
    const { url, rows } = await emptyDatabase();
    await migrate(url);
    await rows(`update _prisma_migrations set checksum = 'other'`);
    const [{ name } = { name: '' }] = await readMigrations();
    await expect(migrate(url)).rejects.toThrow(name);
  });
});

test('tool names of an older Baton are stored, and the older of two workflows keeps its name', async () => {
  const store = await freshStore();
  onTestFinished(() => store.close());
  const deploy = (workflow: string, on: string): Promise<unknown> => {
    const source = `workflow: ${workflow}\n${on}steps:\n  - set: { a: 1 }\n`;
    return deployWorkflow(store, { workflow, definition: definitionOf(source, 'yaml', {}), findings: [], by: 'test' });
  };
  await deploy('younger', 'on: [{ tool: { name: other } }]\n');
  await deploy('elder', 'on: [{ tool: { name: pay } }]\n');
  await deploy('none', '');
  await store.pool.query('update workflow set tool = null, tool_since = null');
  // As a race could leave it: with the name of another one.
  await deploy('younger', 'on: [{ tool: { name: pay } }]\n');
  await store.pool.query('update workflow set tool = null, tool_since = null');
  await migrate(store.url);
  const named = await listWorkflows(store, { limit: 10 });
  expect(named.workflows.map(({ id, tool }) => [id, tool?.name])).toEqual([
    ['elder', 'pay'],
    ['none', undefined],
    ['younger', 'pay'],
  ]);
  await expect(findToolOwner(store, 'pay')).resolves.toBe('elder');
  await expect(findToolOwner(store, 'pay', ['younger'])).resolves.toBe('younger');
  await expect(findToolOwner(store, '')).resolves.toBeUndefined();
  await expect(deploy('third', 'on: [{ tool: { name: pay } }]\n')).rejects.toThrow('elder');
});

test('the migrations make what a database made straight from prisma/schema.prisma has', async () => {
  const migrated = await emptyDatabase();
  const made = await emptyDatabase();
  await migrate(migrated.url);
  const schema = await readFile(fileURLToPath(new URL('../../../prisma/schema.prisma', import.meta.url)), 'utf8');
  await made.rows((await schemaDifference(made.url, { before: undefined, after: schema })) ?? '');
  for (const question of [
    `select table_name, column_name, data_type, is_nullable, column_default, datetime_precision
       from information_schema.columns where table_schema = 'public' and table_name <> '_prisma_migrations' order by 1, 2`,
    `select indexdef from pg_indexes where schemaname = 'public' and tablename <> '_prisma_migrations' order by 1`,
    `select conname, replace(pg_get_constraintdef(oid), ' NOT VALID', '') as definition from pg_constraint
       where connamespace = 'public'::regnamespace and conrelid <> coalesce(to_regclass('_prisma_migrations'), 0)
       order by 1`,
  ]) {
    const wanted = await made.rows(question);
    expect(wanted.length).toBeGreaterThan(0);
    expect(await migrated.rows(question)).toEqual(wanted);
  }
});
