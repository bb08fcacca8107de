import { type RunEvent, FailureError } from '@baton/engine';
import { type RunLog, UnavailableError } from '@baton/runner';
import {
  type FaultProxy,
  type FreshStore,
  faultProxy,
  freshDatabase,
  freshStore,
  neverEnded,
  requestedEvent,
  runningRow,
  tamper,
  testSecretKey,
  verifyChain,
} from '@baton/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { type Store, openStore } from '../openStore.ts';
import { getRun } from '../runs/getRun.ts';
import { listRuns } from '../runs/listRuns.ts';
import { dueRuns } from '../runs/stuckRuns.ts';
import { lockState } from '../state/writeState.ts';
import { listWorkers } from '../workers/workers.ts';
import type { ChainLink } from './chain.ts';
import { readPage } from './readPage.ts';

let store: FreshStore;

beforeAll(async () => {
  store = await freshStore();
});

afterAll(() => store.close());

const signal = (payload: unknown): RunEvent =>
  ({ type: 'signal.received', at: 1_800_000_000_001, name: 'x', payload, by: 'x' }) as RunEvent;

async function opened(runId: string, on: Store = store): Promise<RunLog> {
  const run = await on.journal.open(runId);
  if (run === undefined) throw new Error('the run is not there');
  return run.log;
}

async function newLog(on: Store = store): Promise<RunLog> {
  const { runId } = await on.request({ event: requestedEvent() });
  return opened(runId, on);
}

async function throughProxy(answerMs?: number): Promise<{ proxied: Store; proxy: FaultProxy }> {
  const url = new URL(store.url);
  const proxy = await faultProxy({ host: url.hostname, port: Number(url.port) });
  url.port = String(proxy.port);
  const proxied = openStore({ url: url.href, secretKey: testSecretKey, ...(answerMs !== undefined && { answerMs }) });
  onTestFinished(async () => {
    proxy.cutAll();
    await proxied.close();
    await proxy.close();
  });
  return { proxied, proxy };
}

/** As many times as that, the next inserts into the journal fail with this SQLSTATE. */
async function failInserts(sqlState: string, times: number): Promise<void> {
  await store.pool.query(`
    create sequence failures;
    create function fail() returns trigger language plpgsql as $$ begin
      if nextval('failures') <= ${times} then raise exception 'as told' using errcode = '${sqlState}'; end if;
      return null;
    end $$;
    create trigger fail before insert on run_event for each statement execute function fail()`);
  onTestFinished(async () => {
    await store.pool.query('drop trigger fail on run_event; drop function fail; drop sequence failures');
  });
}

async function links(runId: string): Promise<(ChainLink & { hash: string })[]> {
  const { events } = await readPage(store, runId, { limit: 1_000 });
  return events.map(({ seq, event: { at, type }, data, hash }) => ({ runId, seq, at, type, data, hash }));
}

describe('the chain', () => {
  test('holds over everything that many writers wrote at once', async () => {
    const logs = await Promise.all(Array.from({ length: 40 }, () => newLog()));
    await Promise.all(
      logs.flatMap((log) =>
        Array.from({ length: 20 }, (_, index) => log.append({ events: [signal(['\0\ud800é', index])] })),
      ),
    );
    for (const { runId } of logs) {
      expect(verifyChain(await links(runId))).toMatchObject({ isIntact: true, seq: 21 });
    }
  });

  test('continues where another process stopped', async () => {
    const { runId } = await newLog();
    const other = openStore({ url: store.url, secretKey: testSecretKey });
    onTestFinished(() => other.close());
    for (const process of [store, other, store]) {
      const log = await opened(runId, process);
      await log.append({ events: [signal(1), signal(2)] });
    }
    expect(verifyChain(await links(runId))).toMatchObject({ isIntact: true, seq: 7 });
  });

  test('tells when a person has changed the database', async () => {
    const log = await newLog();
    await log.append({ events: [signal(1), signal(2), signal(3)] });
    const change = `update run_event set data = replace(data::text, '2', '7')::json where run_id = '${log.runId}' and seq = 3`;
    await expect(store.pool.query(change)).rejects.toThrow('run_event is append only');
    await tamper(store, change);
    expect(verifyChain(await links(log.runId))).toEqual({ isIntact: false, seq: 3, why: 'changed' });
  });
});

describe('errors of Postgres', () => {
  test.each(['40001', '40P01'])('a statement that lost to another (%s) is tried again unnoticed', async (sqlState) => {
    const log = await newLog();
    await failInserts(sqlState, 2);
    await log.append({ events: [signal(1)] });
    expect((await store.journal.open(log.runId))?.events).toHaveLength(2);
  });

  test.each(['40001', '53100', '55P03', '57014'])(
    '%s without end means later, and the log is spent',
    async (sqlState) => {
      const log = await newLog();
      await failInserts(sqlState, 1_000_000);
      await expect(log.append({ events: [signal(1)] })).rejects.toBeInstanceOf(UnavailableError);
      await expect(log.append({ events: [signal(2)] })).rejects.toBeInstanceOf(UnavailableError);
    },
  );

  test('an event that Postgres refuses fails for good, and no other append fails', async () => {
    const logs = await Promise.all(Array.from({ length: 10 }, () => newLog()));
    // Shallow enough for JavaScript, too deep for Postgres's own parser.
    const deep = JSON.parse(`${'['.repeat(2_500)}${']'.repeat(2_500)}`) as unknown;
    const name = new URL(store.url).pathname.slice(1);
    await store.pool.query(`alter database ${name} set max_stack_depth = '100kB'`);
    onTestFinished(async () => {
      await store.pool.query(`alter database ${name} reset max_stack_depth`);
    });
    const fresh = openStore({ url: store.url, secretKey: testSecretKey });
    onTestFinished(() => fresh.close());
    const again = await Promise.all(logs.map(({ runId }) => opened(runId, fresh)));
    const ends = await Promise.allSettled(
      again.map((log, index) => log.append({ events: [signal(index === 4 ? deep : index)] })),
    );
    expect(ends.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([4]);
    expect(ends[4]).toMatchObject({
      reason: { failure: { code: 'limit-exceeded', message: expect.stringContaining('database') as string } },
    });
    expect((ends[4] as PromiseRejectedResult).reason).toBeInstanceOf(FailureError);
  });

  test('an event nested too deeply for JSON is refused before it is sent, and the log stays usable', async () => {
    const log = await newLog();
    const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`) as unknown;
    await expect(log.append({ events: [signal(1), signal(deep)] })).rejects.toBeInstanceOf(FailureError);
    await log.append({ events: [signal(2)] });
    expect((await store.journal.open(log.runId))?.events).toHaveLength(2);
  });
});

describe('an unreachable database', () => {
  test('is unreachable for every operation, and later reachable for every operation', async () => {
    const { proxied, proxy } = await throughProxy();
    const log = await newLog(proxied);
    const operations = [
      () => proxied.journal.open(log.runId),
      () => proxied.request({ event: requestedEvent() }),
      () => proxied.blobs.get('ab'.repeat(32)),
      () => getRun(proxied, log.runId),
      () => listRuns(proxied, {}, { limit: 1 }),
      () => readPage(proxied, log.runId, { limit: 1 }),
      () => listWorkers(proxied, 1_000),
      () => dueRuns(proxied, { forMs: 0, limit: 1 }),
    ];
    proxy.refuse(true);
    for (const operation of [...operations, () => log.append({ events: [signal(1)] })]) {
      await expect(operation()).rejects.toBeInstanceOf(UnavailableError);
    }
    proxy.refuse(false);
    for (const operation of operations) await operation();
    const again = await opened(log.runId, proxied);
    await again.append({ events: [signal(2)] });
  });

  test('falls silent: a waiting caller gets an error after a while, and the next caller is served', async () => {
    const { proxied, proxy } = await throughProxy(2_500);
    const log = await newLog(proxied);
    proxy.silence(true);
    const [append, open, list] = await Promise.allSettled([
      log.append({ events: [signal(1)] }),
      proxied.journal.open(log.runId),
      listRuns(proxied, {}, { limit: 1 }),
    ]);
    for (const end of [append, open, list]) {
      expect(end).toMatchObject({ status: 'rejected', reason: expect.any(UnavailableError) as Error });
    }
    proxy.silence(false);
    // A connection takes a busy machine longer than these 300 ms.
    const appendAnew = async (): Promise<void> => (await newLog(proxied)).append({ events: [signal(2)] });
    await expect.poll(() => appendAnew().catch(() => 'refused')).toBeUndefined();
  });

  test('has ended all sessions: each connection is made anew, at the latest by the second statement', async () => {
    const log = await newLog();
    await store.pool
      .query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()`)
      .catch(() => undefined);
    const ends = await Promise.allSettled([
      log.append({ events: [signal(1)] }),
      store.request({ event: requestedEvent() }),
      store.journal.open(log.runId),
    ]);
    expect(ends.every((end) => end.status === 'fulfilled' || end.reason instanceof UnavailableError)).toBe(true);
    const again = await newLog();
    await again.append({ events: [signal(2)] });
  });

  test('has every connection taken: other callers wait, and the journal has its own connections', async () => {
    const small = openStore({ url: store.url, secretKey: testSecretKey, connections: 1, answerMs: 500 });
    onTestFinished(() => small.close());
    const log = await newLog(small);
    const taken = await small.pool.connect();
    const [list, append] = await Promise.allSettled([
      listRuns(small, {}, { limit: 1 }),
      log.append({ events: [signal(1)] }),
    ]);
    taken.release();
    expect(list).toMatchObject({ status: 'rejected', reason: expect.any(UnavailableError) as Error });
    expect(append.status).toBe('fulfilled');
    await listRuns(small, {}, { limit: 1 });
  });
});

test('claiming a run nearly always updates its row within the page, without touching indexes', async () => {
  const fresh = await freshDatabase();
  const own = openStore({ url: fresh.url, secretKey: testSecretKey });
  const logs = await Promise.all(Array.from({ length: 100 }, () => newLog(own)));
  await Promise.all(
    logs.map((log) =>
      log.append({ events: [{ type: 'run.claimed', at: 1, worker: 'w1', claim: 1 }], row: runningRow() }),
    ),
  );
  await own.close();
  const reader = new Client(fresh.url);
  await reader.connect();
  const counted = async (): Promise<number> => {
    const { rows } = await reader.query<{ hot: string }>(
      `select n_tup_hot_upd as hot from pg_stat_user_tables where relname = 'run'`,
    );
    return Number(rows[0]?.hot);
  };
  // What a session did is counted when its process ends, which is after it has hung up.
  await expect.poll(counted).toBeGreaterThan(80);
  await reader.end();
  await fresh.drop();
});

test('A run that waits for the state of its workflow, whose lock a stopped process holds, keeps no other run waiting, and goes on in order.', async () => {
  const owner = { workflow: 'counted', isInline: false };
  const [writing, other] = [await newLog(), await newLog()];
  const holder = await store.pool.connect();
  await holder.query(neverEnded);
  await holder.query('begin');
  await lockState(holder, owner);
  try {
    const written: RunEvent = {
      type: 'step.succeeded',
      at: 1_800_000_000_002,
      path: 'state-1',
      verb: 'state',
      attempt: 1,
      value: { json: { a: 1 } },
    };
    const state = { ...owner, by: 'ada', writes: [{ path: 'state-1', values: { a: 1 } }] };
    let isSettled = false;
    const first = writing.append({ events: [written], row: runningRow(), state }).finally(() => (isSettled = true));
    const second = writing.append({ events: [signal('after')] });
    for (const n of [1, 2, 3]) await other.append({ events: [signal(n)] });
    expect(isSettled).toBe(false);
    await holder.query('rollback');
    await Promise.all([first, second]);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  const { events } = (await store.journal.open(writing.runId)) ?? { events: [] };
  expect(events.map(({ type }) => type)).toEqual(['run.requested', 'step.succeeded', 'signal.received']);
});
