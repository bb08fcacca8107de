import { randomUUID } from 'node:crypto';

import { freshDatabase, freshStore } from '@baton/testing';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import { migrate } from '../migrate.ts';
import { isRemovalGuarded } from './guardRemoval.ts';

/** Connected to an empty database that belongs to a role with these rights. */
async function asRole(rights: string): Promise<{ url: string; client: Client }> {
  const { url, drop } = await freshDatabase('empty');
  const name = `app_${randomUUID().slice(0, 8)}`;
  const admin = new Client(url);
  await admin.connect();
  await admin.query(`create role ${name} login password 'x' ${rights};
    do $$ begin execute format('alter database %I owner to ${name}', current_database()); end $$`);
  const own = new URL(url);
  own.username = name;
  own.password = 'x';
  const client = new Client(own.href);
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await admin.end();
    await drop();
  });
  return { url: own.href, client };
}

const refusedOf = (client: Client): Promise<string> =>
  client
    .query(
      `begin; insert into run_event (run_id, seq, at, type, data, hash) values (gen_random_uuid(), 1, 0, 'x', '{}', '');
       set local baton.removing = 'on'; delete from run_event; commit`,
    )
    .then(() => 'deleted')
    .catch(async (error: Error) => {
      await client.query('rollback');
      return error.message;
    });

test('with Postgres included, only a separate role may remove journals', async () => {
  const store = await freshStore();
  expect(await isRemovalGuarded(store)).toBe(true);
  const { rows } = await store.pool.query<{ owner: string }>(
    `select pg_get_userbyid(proowner) as owner from pg_proc where proname = 'remove_journals'`,
  );
  expect(rows).toEqual([{ owner: 'baton_retention' }]);
  await store.close();
});

test('an installation that may not create roles still starts, guarded by a setting alone', async () => {
  const { url, client } = await asRole('');
  await migrate(url);
  const { rows } = await client.query<{ mine: boolean }>(
    `select proowner = current_user::regrole as mine from pg_proc where proname = 'remove_journals'`,
  );
  expect(rows).toEqual([{ mine: true }]);
  await expect(client.query('delete from run_event')).rejects.toThrow(/append only/);
  expect(await refusedOf(client)).toBe('deleted');
});

test('where the usual role belongs to another installation, it creates one for its database', async () => {
  const { url, client } = await asRole('createrole');
  await migrate(url);
  const { rows } = await client.query<{ owner: string }>(
    `select pg_get_userbyid(proowner) as owner from pg_proc where proname = 'remove_journals'`,
  );
  expect(rows[0]?.owner).toMatch(/^baton_retention_\d+$/);
  expect(await refusedOf(client)).toMatch(/append only/);
  await expect(client.query(`select remove_journals('{}')`)).resolves.toMatchObject({ rowCount: 1 });
  await migrate(url);
});
