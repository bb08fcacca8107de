import { randomBytes } from 'node:crypto';

import { type FreshStore, freshStore, soon } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { advisoryLocks } from '../database/advisoryLocks.ts';
import { beginLoginSession, endLoginSession, findLoginSession, putLoginCode } from './loginSessions.ts';

let store: FreshStore;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

const keyId = 'key';
const inAnHour = (): number => Date.now() + 3_600_000;

const begin = (id: string, digest: Buffer, codeDigest?: Buffer) =>
  beginLoginSession(
    store,
    { keyId, ...(codeDigest && { codeDigest }) },
    { id, digest, now: Date.now(), expiresAt: inAnHour() },
    async () => 'test',
  );

test('a session that begins with a code while the one that made the code ends, ends with it', async () => {
  const [first, made, code] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  await begin('first', first);
  await putLoginCode(store, { digest: code, keyId, expiresAt: inAnHour(), maker: 'first' }, 'test');
  // The audit's lock holds up the log-in after it has written the session, and before others see it.
  const holder = await store.pool.connect();
  await holder.query(`select pg_advisory_lock(${advisoryLocks.noting})`);
  const waitingAre = (count: number): Promise<void> =>
    soon(async () => {
      const { rows } = await store.pool.query(
        `select from pg_locks where locktype = 'advisory' and not granted
         and database = (select oid from pg_database where datname = current_database())`,
      );
      expect(rows).toHaveLength(count);
    });
  const begun = begin('made', made, code);
  await waitingAre(1);
  const ended = endLoginSession(store, 'first', 'test');
  await waitingAre(2);
  await holder.query(`select pg_advisory_unlock(${advisoryLocks.noting})`);
  holder.release();
  expect(await begun).toMatchObject({ id: 'made' });
  expect(await ended).toEqual(['first', 'made']);
  expect(await findLoginSession(store, made)).toBeUndefined();
});
