/**
 * A Postgres that is there and says no, met by what goes through Prisma, through the pool, and through pinned
 * connections.
 */
import { randomUUID } from 'node:crypto';

import { UnavailableError } from '@baton/runner';
import { type OwnPostgres, freshStore, ownPostgres, requestedEvent, testSecretKey } from '@baton/testing';
import { Client, Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { getApiKey, putApiKey } from '../keys/apiKeys.ts';
import { type Store, openStore } from '../openStore.ts';
import { listWorkflows } from '../workflows/workflows.ts';
import { connectionShortage } from './connectionLimit.ts';
import { queryRows } from './queryRows.ts';

const newKey = (id: string) => ({ id, name: id, secretHash: new Uint8Array(32), scopes: ['read'], createdBy: 'test' });

/** Through each door: Prisma's queries, raw ones and transactions, the pool, and the journal's own connections. */
const doors: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  query: (store) => getApiKey(store, 'key'),
  list: (store) => listWorkflows(store, { limit: 10 }),
  raw: ({ prisma }) => prisma.$queryRaw`select 1`,
  transaction: (store) => putApiKey(store, newKey('key')),
  pool: (store) => queryRows(store.pool, 'select 1'),
  intake: (store) => store.request({ event: requestedEvent() }),
  journal: ({ journal }) => journal.open('0190a000-0000-7000-8000-000000000000'),
};

/** Why each door was not passed, by its name. */
const refusals = async (store: Store): Promise<object> => {
  const outcomes = Object.entries(doors).map(async ([name, pass]) => {
    const outcome = await pass(store).then(() => 'passed', kindOf);
    return [name, outcome] as const;
  });
  return Object.fromEntries(await Promise.all(outcomes));
};

const kindOf = (error: unknown): string => (error instanceof Error ? error.name : String(error));
const all = (outcome: string): object => Object.fromEntries(Object.keys(doors).map((name) => [name, outcome]));

describe('a server', () => {
  let postgres: OwnPostgres;
  let store: Store;

  beforeAll(async () => {
    postgres = await ownPostgres();
    store = openStore({ url: postgres.url, secretKey: testSecretKey });
  });

  afterAll(async () => {
    await store.close();
    await postgres.remove();
  });

  /** A new session for each: an open one may be served for as long as it lasts. */
  const another = (): Store => {
    const opened = openStore({ url: postgres.url, secretKey: testSecretKey });
    onTestFinished(() => opened.close());
    return opened;
  };

  test('that shuts down refuses new sessions (57P03) and then ends the old ones (57P01): try again later', async () => {
    const underWay = store.prisma.$queryRaw`select pg_sleep(600)::text`;
    const asked = underWay.then(() => 'answered', kindOf);
    const asleep = `select 1 from pg_stat_activity where query like '%pg_sleep(600)%' and pid <> pg_backend_pid()`;
    await expect.poll(async () => (await store.pool.query(asleep)).rowCount).toBe(1);
    postgres.signal('SIGTERM');
    const late = another();
    await expect.poll(() => refusals(late)).toEqual(all(UnavailableError.name));
    postgres.signal('SIGINT');
    await expect(asked).resolves.toBe(UnavailableError.name);
    await postgres.gone();
    expect(await refusals(store)).toEqual(all(UnavailableError.name));
    await postgres.start();
    await expect.poll(() => refusals(store)).toEqual(all('passed'));
  });

  test('that recovers accepts no sessions (57P03): a later attempt succeeds', async () => {
    await postgres.startRecovering();
    expect(await refusals(store)).toEqual(all(UnavailableError.name));
    expect(await refusals(another())).toEqual(all(UnavailableError.name));
  });
});

describe('a store says that nothing can be written', () => {
  test('while Postgres is a standby, until it is promoted', async () => {
    const postgres = await ownPostgres();
    onTestFinished(() => postgres.remove());
    const store = openStore({ url: postgres.url, secretKey: testSecretKey });
    onTestFinished(() => store.close());
    expect(await store.writeFault()).toBeUndefined();
    await postgres.startStandby();
    await expect.poll(() => store.writeFault().catch(kindOf)).toMatch(/^Postgres is a standby that was not promoted/);
    // Of several hosts, it is the one that takes writes which counts.
    const { port } = new URL(postgres.url);
    const several = `${postgres.url}${postgres.url.includes('?') ? '&' : '?'}host=127.0.0.1,127.0.0.1&port=1,${port}`;
    const ofSeveral = openStore({ url: several, secretKey: testSecretKey });
    onTestFinished(() => ofSeveral.close());
    const why =
      'none of its hosts takes writes: 127\\.0\\.0\\.1:1: connect ECONNREFUSED.*; .* is a standby, or read-only';
    await expect(queryRows(ofSeveral.pool, 'select 1')).rejects.toThrow(new RegExp(why));
    await store.pool.query('select pg_promote()');
    await expect.poll(() => store.writeFault()).toBeUndefined();
    await expect.poll(() => queryRows(ofSeveral.pool, 'select 1').then(() => 'found', kindOf)).toBe('found');
    await store.request({ event: requestedEvent() });
  });

  test('while Postgres is read-only, or the role has no connection left', async () => {
    const store = await freshStore();
    onTestFinished(() => store.close());
    const url = new URL(store.url);
    const role = `limited_${randomUUID().slice(0, 8)}`;
    await store.pool.query(`create role ${role} login password 'x';
      grant all on all tables in schema public to ${role}; alter role ${role} set default_transaction_read_only = on`);
    [url.username, url.password] = [role, 'x'];
    const limited = openStore({ url: url.href, secretKey: testSecretKey });
    const held = new Client({ connectionString: url.href });
    onTestFinished(async () => {
      await store.pool.query(`drop owned by ${role}; drop role ${role}`);
    });
    expect(await limited.writeFault()).toBe('Postgres is read-only, so nothing can be written.');
    await store.pool.query(`alter role ${role} set default_transaction_read_only = off; select pg_terminate_backend(pid)
      from pg_stat_activity where usename = '${role}'`);
    await expect.poll(() => limited.writeFault().catch(kindOf)).toBeUndefined();
    await held.connect();
    const { rows } = await held.query<{ pid: number }>('select pg_backend_pid() as pid');
    expect(await connectionShortage(limited.pool, 14)).toBeUndefined();
    // The limit first: a connection that ends is made again at once.
    await store.pool.query(`alter role ${role} connection limit 1`);
    await store.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where usename = '${role}' and pid <> ${rows[0]?.pid}`);
    await expect
      .poll(() => limited.writeFault().catch(kindOf))
      .toBe('Postgres has no connection left for this process.');
    await held.end();
    // The only connection must be that of the question.
    await limited.close();
    const own = new Pool({ connectionString: url.href, max: 1 });
    onTestFinished(() => own.end());
    const shortage = new RegExp(
      `^the role "${role}" \\(CONNECTION LIMIT\\) allows 1 connections, and this process alone`,
    );
    await expect.poll(() => connectionShortage(own, 14).catch(kindOf)).toMatch(shortage);
  });

  test.each(['append', 'request'])(
    'after a failed %s, until one succeeds that is tried and rolled back',
    async (what) => {
      const store = await freshStore();
      onTestFinished(() => store.close());
      const { runId } = await store.request({ event: requestedEvent() });
      const opened = await store.journal.open(runId);
      await store.pool.query(`create function full_disk() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
      create trigger full_disk before insert on run_event for each row execute function full_disk()`);
      expect(await store.writeFault()).toBeUndefined();
      const written =
        what === 'append'
          ? opened?.log.append({ events: [{ type: 'run.cancelRequested', at: 1, by: 'x' }] })
          : store.request({ event: requestedEvent() });
      await expect(written).rejects.toBeInstanceOf(UnavailableError);
      expect(await store.writeFault()).toBe('Postgres has no room left (disk or memory), so nothing can be written.');
      await store.pool.query('drop trigger full_disk on run_event');
      expect(await store.writeFault()).toBeUndefined();
      expect((await store.pool.query('select type from run_event')).rows).toEqual([{ type: 'run.requested' }]);
    },
  );
});

describe('an answer', () => {
  test.each(['57P01', '57P02', '57P03', '53100', '53200', '53300', '58030', '57014', '25006', 'XX000', 'XX001'])(
    'of %s to a query of Prisma’s means later',
    async (sqlState) => {
      const store = await freshStore();
      onTestFinished(() => store.close());
      await store.pool.query(
        `create function fail() returns trigger language plpgsql as $$
         begin raise exception 'as told' using errcode = '${sqlState}'; end $$;
         create trigger fail before insert on api_key for each statement execute function fail()`,
      );
      await expect(putApiKey(store, newKey('one'))).rejects.toBeInstanceOf(UnavailableError);
      await expect(store.prisma.apiKey.create({ data: newKey('two') })).rejects.toBeInstanceOf(UnavailableError);
      await expect(store.prisma.$executeRaw`insert into api_key default values`).rejects.toBeInstanceOf(
        UnavailableError,
      );
    },
  );

  test('that reports a wrong statement is not taken for an outage', async () => {
    const store = await freshStore();
    onTestFinished(() => store.close());
    await putApiKey(store, newKey('one'));
    await expect(store.prisma.apiKey.create({ data: newKey('one') })).rejects.toMatchObject({ code: 'P2002' });
    await expect(store.prisma.$queryRaw`select 1 / 0`).rejects.toMatchObject({ code: 'P2010' });
  });
});
