/** A store whose requests go through a pooler of transactions, beside sessions of others that have other settings. */
import { randomUUID } from 'node:crypto';

import { freshDatabase, requestedEvent, testSecretKey, transactionPooler } from '@baton/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { claimMarks } from '../audit/claimMarks.ts';
import { getApiKey, putApiKey } from '../keys/apiKeys.ts';
import { type Store, openStore } from '../openStore.ts';
import { Ownership } from '../workers/ownership.ts';
import { checkPooler } from './checkPooler.ts';
import { inTransaction } from './transaction.ts';

let direct: string;
let pooled: string;
let store: Store;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const database = await freshDatabase();
  const pooler = await transactionPooler(database.url);
  [direct, pooled] = [database.url, pooler.url];
  store = openStore({ url: direct, pooledUrl: pooled, secretKey: testSecretKey, connections: 2, answerMs: 60_000 });
  closing.push(() => store.close(), pooler.close, database.drop);
  await claimMarks(store);
  // Another program leaves its own settings and statements behind, in each of the two sessions of the pooler.
  const strangers = [new Client(pooled), new Client(pooled)];
  closing.unshift(...strangers.map((one) => () => one.end()));
  for (const one of strangers) {
    await one.connect();
    await one.query('begin');
  }
  for (const one of strangers) {
    await one.query(
      `set bytea_output = 'escape'; set datestyle = 'German'; set timezone = 'Asia/Tokyo'; set search_path = 'nowhere';
       set default_transaction_isolation = 'serializable'; set synchronous_commit = off; prepare page as select 1;
       prepare "find-version" as select 1`,
    );
    await one.query('commit');
  }
});

afterAll(async () => {
  for (const close of closing) await close();
});

test('every transaction through a pooler has the settings that the code assumes, also one of a single statement', async () => {
  const asked = `select current_setting('bytea_output') as bytes, current_setting('timezone') as zone,
    current_setting('search_path') as path, current_setting('transaction_isolation') as isolation,
    current_setting('synchronous_commit') as durable`;
  const expected = [{ bytes: 'hex', zone: 'UTC', path: 'public', isolation: 'read committed', durable: 'on' }];
  expect((await store.pool.query({ name: 'page', text: asked })).rows).toEqual(expected);
  expect((await inTransaction(store.pool, (client) => client.query(asked))).rows).toEqual(expected);
  expect(await store.prisma.$transaction((transaction) => transaction.$queryRawUnsafe(asked))).toEqual(expected);
  const repeatable = store.prisma.$transaction((transaction) => transaction.$queryRawUnsafe(asked), {
    isolationLevel: 'RepeatableRead',
  });
  expect(await repeatable).toMatchObject([{ isolation: 'repeatable read', path: 'public' }]);
});

test('a run, a key and the audit are written and read through a pooler', async () => {
  const { runId } = await store.request({ event: requestedEvent() });
  expect((await store.journal.open(runId))?.events).toHaveLength(1);
  const id = randomUUID();
  await putApiKey(store, { id, name: id, secretHash: new Uint8Array(32), scopes: ['read'], createdBy: 'test' });
  expect(await getApiKey(store, id)).toMatchObject({ name: id });
  const { rows } = await store.pool.query(`select from audit_entry where action = 'key.created'`);
  expect(rows).toHaveLength(1);
});

test('a statement that fails leaves no transaction behind, and the next one works', async () => {
  await expect(store.pool.query('select 1 / 0')).rejects.toMatchObject({ code: '22012' });
  const failing = inTransaction(store.pool, (client) => client.query('select 1 / 0'));
  await expect(failing).rejects.toMatchObject({ code: '22012' });
  expect((await store.pool.query('select 2 as two')).rows).toEqual([{ two: 2 }]);
  const { rows } = await store.sessions.query(`select from pg_stat_activity where state like 'idle in transaction%'
    and datname = current_database()`);
  expect(rows).toEqual([]);
});

test('what owns a task for all processes holds its lock in a session that no pooler hands on', async () => {
  const [first, second] = [new Ownership(store, () => undefined), new Ownership(store, () => undefined)];
  onTestFinished(() => [first, second].forEach((one) => one.close()));
  expect(await first.own('polls')).toBe(true);
  expect(await second.own('polls')).toBe(false);
});

test('an address that leads through the pooler to another database is refused', async () => {
  await expect(checkPooler(pooled, direct)).resolves.toBeUndefined();
  const other = await freshDatabase();
  onTestFinished(other.drop);
  await expect(checkPooler(pooled, other.url)).rejects.toMatchObject({ code: '3D000' });
  const elsewhere = new URL(direct);
  elsewhere.searchParams.set('schema', 'elsewhere');
  await expect(checkPooler(pooled, elsewhere.href)).rejects.toMatchObject({ code: '3D000' });
});
