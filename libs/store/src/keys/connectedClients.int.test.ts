import { type FreshStore, freshStore, soon } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { takeLock } from '../database/advisoryLocks.ts';
import { inTransaction } from '../database/transaction.ts';
import {
  endConnectedClient,
  listConnectedClients,
  noteClientToken,
  putConnectedClient,
  removeUnusedClients,
} from './connectedClients.ts';
import { findOAuthRecord, putOAuthRecord } from './oauthRecords.ts';

let store: FreshStore;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

const dayMs = 24 * 3_600_000;

async function connect(id: string, client = id): Promise<void> {
  const about = { clientId: `https://${client}.example/client`, name: id, described: 'as it was', choice: 'run' };
  await putConnectedClient(
    store,
    { id, ...about, keyId: 'key', resource: 'https://b/mcp', scopes: ['runs:read'] },
    'ana',
  );
  await noteClientToken(store, id);
  const record = { digest: Buffer.from(`token of ${id}`), kind: 'RefreshToken', sealed: 'x', expiresAt: undefined };
  await putOAuthRecord(store, { ...record, grantId: id });
}

test('a client that got no token for 90 days is removed, with its tokens and an audit entry, and a used one stays', async () => {
  await connect('used');
  await connect('unused');
  await store.pool.query(`update connected_client set last_used_at = now() - interval '91 days' where id = 'unused'`);
  const registration = { kind: 'Client', grantId: undefined, sealed: 'x' };
  const [old, recent] = [Buffer.from('old'), Buffer.from('recent')];
  await putOAuthRecord(store, { ...registration, digest: old, expiresAt: store.now() - 1 });
  await putOAuthRecord(store, { ...registration, digest: recent, expiresAt: store.now() + dayMs });

  expect(await removeUnusedClients(store, store.now() - 90 * dayMs)).toBe(1);

  expect((await listConnectedClients(store)).map(({ id }) => id)).toEqual(['used']);
  expect(await findOAuthRecord(store, Buffer.from('token of unused'))).toBeUndefined();
  expect(await findOAuthRecord(store, Buffer.from('token of used'))).toBeDefined();
  const { rows: left } = await store.pool.query<{ digest: Buffer }>(
    `select digest from oauth_record where kind = 'Client'`,
  );
  expect(left.map(({ digest }) => digest.toString())).toEqual(['recent']);
  const { rows } = await store.pool.query<{ target: string; detail: unknown }>(
    `select target, detail from audit_entry where action = 'client.revoked'`,
  );
  expect(rows).toMatchObject([{ target: 'unused' }]);
  expect(JSON.stringify(rows)).toContain('unused');
});

test('an agreement ends while another takes its place: neither waits for the other without end', async () => {
  const ids = Array.from({ length: 11 }, (_, n) => `same-${n}`);
  for (const id of ids.slice(0, 10)) await connect(id, 'same');
  await store.pool.query(`update connected_client set created_at = now() - interval '1 day' where id = 'same-0'`);
  const about = { clientId: 'https://same.example/client', name: 'same', described: 'as it was', choice: 'run' };
  const more = { keyId: 'key', resource: 'https://b/mcp', scopes: ['runs:read'] };
  await putConnectedClient(store, { id: 'same-10', ...about, ...more }, 'ana');
  const waiting = async (): Promise<unknown> => {
    const text = `select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return (await store.pool.query(text)).rows[0];
  };
  const both = await inTransaction(store.pool, async (client) => {
    await client.query(takeLock('noting'));
    // The one holds its rows and waits to write the audit; then the other begins.
    const replaced = noteClientToken(store, 'same-10');
    await soon(async () => expect(await waiting()).toEqual({ n: 1 }));
    const ended = endConnectedClient(store, 'same-0', { by: 'ana', reason: 'person' });
    await soon(async () => expect(await waiting()).toEqual({ n: 2 }));
    return [replaced, ended];
  });
  expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  const left = (await listConnectedClients(store)).map(({ id }) => id).filter((id) => id.startsWith('same-'));
  expect(new Set(left)).toEqual(new Set(ids.slice(1)));
});
