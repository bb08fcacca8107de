import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { listConnectedClients, noteClientToken, putConnectedClient, removeUnusedClients } from './connectedClients.ts';
import { findOAuthRecord, putOAuthRecord } from './oauthRecords.ts';

let store: FreshStore;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

const dayMs = 24 * 3_600_000;

async function connect(id: string): Promise<void> {
  const about = { clientId: `https://${id}.example/client`, name: id, described: 'as it was', choice: 'run' };
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
