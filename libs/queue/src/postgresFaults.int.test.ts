/**
 * Goal: after any loss of BullMQ's tables and connections in Postgres, no bell is waited for, no error goes
 * unhandled, and bells are heard again once Postgres is back.
 * Method: a database of its own for each test, whose tables are emptied and locked, whose connections are cut, stopped
 * and refused; and a server of its own to be killed. An unhandled error fails the run.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startPostgres } from '@baton/boot';
import { UnavailableError } from '@baton/runner';
import { faultProxy, freshDatabase, soon, hostileTls } from '@baton/testing';
import { type ClientConfig, Client } from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';

import { type OpenQueue, openQueue } from './openQueue.ts';
import { beginSession } from './postgresBacking.ts';
import type { QueueTrouble } from './queueTrouble.ts';
import { emptyHalfWay, note, ringUntilHeard } from './testing/testHearing.ts';

const others = `from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;

interface Stage {
  readonly databaseUrl: string;
  readonly queue: OpenQueue;
  readonly heard: string[];
  readonly troubles: Set<QueueTrouble>;
  /** A client of an operator, in the queue's schema. */
  readonly operator: Client;
}

async function stage(): Promise<Stage> {
  const database = await freshDatabase('empty');
  const troubles = new Set<QueueTrouble>();
  const queue = await openQueue({
    databaseClient: Client,
    databaseUrl: database.url,
    onTrouble: (what) => troubles.add(what),
  });
  const operator = new Client({ connectionString: database.url, options: '-c search_path=baton_queue' });
  await operator.connect();
  onTestFinished(async () => {
    await operator.end();
    await queue.close();
    await database.drop();
  });
  return { databaseUrl: database.url, queue, heard: [], troubles, operator };
}

/** Ends when the listener has looked at everything and sleeps; the id of its listening process in the server. */
async function sleepingListener({ operator }: Stage): Promise<number> {
  return soon(async () => {
    const { rows } = await operator.query<{ pid: number; sleeps: boolean }>(
      `select max(pid) filter (where query ilike '%listen bullmq%') as pid,
              max(state_change) < clock_timestamp() - interval '300 ms' as sleeps ${others}`,
    );
    expect(rows).toMatchObject([{ pid: expect.any(Number) as number, sleeps: true }]);
    return rows[0]?.pid ?? 0;
  });
}

describe('a queue in Postgres', () => {
  test('uses only its own schema, with any options in the URL', async () => {
    const { databaseUrl, operator, queue, heard } = await stage();
    const url = new URL(databaseUrl);
    url.searchParams.set('options', '-c statement_timeout=7s');
    const second = await openQueue({ databaseClient: Client, databaseUrl: url.href, prefix: 'other' });
    onTestFinished(() => second.close());
    second.listen(note(heard), { concurrency: 1 });
    await ringUntilHeard({ queue: second, heard });
    const { rows } = await operator.query<{ schema: string }>(
      `select distinct schemaname as schema from pg_tables where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
    );
    expect(rows.map(({ schema }) => schema)).toEqual(['baton_queue', 'other_queue']);
    await queue.bell.ring([{ runId: randomUUID() }, { runId: randomUUID(), delayMs: 60_000 }]);
    expect(await queue.doctor()).toMatchObject({
      kind: 'postgres',
      isReachable: true,
      bells: { waiting: 1, delayed: 1, answered: 0 },
    });
  });

  test('neither waits for the disk nor takes its settings from the database, for a bell and for its end', async () => {
    const { databaseUrl, operator, heard } = await stage();
    const database = `database "${new URL(databaseUrl).pathname.slice(1)}"`;
    await operator.query(`
      alter ${database} set synchronous_commit = on;
      alter ${database} set default_transaction_isolation = 'serializable';
      create table public.seen (setting text);
      create function note_setting() returns trigger language plpgsql as $$ begin
        insert into public.seen values
          (current_setting('synchronous_commit') || ', ' || current_setting('transaction_isolation'));
        return null; end $$;
      create trigger note after insert or update or delete on job for each row execute function note_setting()`);
    const queue = await openQueue({
      databaseUrl,
      databaseClient: class extends Client {
        constructor(config?: ClientConfig) {
          super({ ...config, options: String.raw`-c default_transaction_isolation=read\ committed` });
        }
      },
    });
    onTestFinished(() => queue.close());
    queue.listen(note(heard), { concurrency: 1 });
    await ringUntilHeard({ queue, heard });
    const { rows } = await operator.query<{ setting: string }>('select distinct setting from public.seen');
    expect(rows).toEqual([{ setting: 'off, read committed' }]);
  });

  test('is made once when many processes start at the same time', async () => {
    const database = await freshDatabase('empty');
    const queues = await Promise.all(
      Array.from({ length: 5 }, () => openQueue({ databaseClient: Client, databaseUrl: database.url })),
    );
    onTestFinished(async () => {
      await Promise.all(queues.map((queue) => queue.close()));
      await database.drop();
    });
    const heard: string[] = [];
    for (const queue of queues) queue.listen(note(heard), { concurrency: 1 });
    for (const queue of queues) await ringUntilHeard({ queue, heard });
    expect(new Set(heard).size).toBe(queues.length);
  });

  test('whose tables are emptied half way continues with later bells', async () => {
    const at = await stage();
    await emptyHalfWay(at, () =>
      at.operator.query('truncate job, job_dependency, job_log, event, meta, dedup, rate_limit cascade'),
    );
    await ringUntilHeard(at);
    expect(at.heard.length).toBeLessThan(200);
  });

  test('whose tables are locked is not waited for', async () => {
    const at = await stage();
    at.queue.listen(note(at.heard), { concurrency: 2 });
    await ringUntilHeard(at);
    await at.operator.query('begin');
    await at.operator.query('lock table job in access exclusive mode');
    await expect(at.queue.bell.ring([{ runId: randomUUID() }])).rejects.toThrow(UnavailableError);
    const crowd = Array.from({ length: 50 }, () => at.queue.bell.ring([{ runId: randomUUID() }]));
    await expect(Promise.any(crowd)).rejects.toThrow(AggregateError);
    await at.operator.query('commit');
    await ringUntilHeard(at);
  });

  test('whose connections are cut again and again delivers bells again', async () => {
    const at = await stage();
    at.queue.listen(note(at.heard), { concurrency: 2 });
    for (let round = 0; round < 3; round += 1) {
      await ringUntilHeard(at);
      await at.operator.query(`select pg_terminate_backend(pid) ${others}`);
    }
    await ringUntilHeard(at);
    expect(at.troubles).toContain('connection');
  });

  test('A connection that is cut while BullMQ holds it, between two queries, ends no process', async () => {
    const { databaseUrl, operator } = await stage();
    const held = new Client({ connectionString: databaseUrl });
    await held.connect();
    await beginSession(held, 'held');
    expect(held.listenerCount('error')).toBe(1);
    const ended = new Promise<void>((resolve) => held.on('end', resolve));
    await operator.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where query like '%search_path = "held"%' and pid <> pg_backend_pid()`,
    );
    await ended;
  });

  test('whose listening connection gets no notifications still delivers bells, a little later', async () => {
    const at = await stage();
    at.queue.listen(note(at.heard), { concurrency: 2 });
    // Some bell far away must not make the listener sleep until then.
    await at.queue.bell.ring([{ runId: randomUUID(), delayMs: 3_600_000 }]);
    await ringUntilHeard(at);
    const pid = await sleepingListener(at);
    process.kill(pid, 'SIGSTOP');
    onTestFinished(() => void process.kill(pid, 'SIGCONT'));
    const runId = randomUUID();
    await at.queue.bell.ring([{ runId }]);
    await expect.poll(() => at.heard).toContain(runId);
  });

  test('that refuses connections at first delivers bells when it admits them', async () => {
    const at = await stage();
    const name = new URL(at.databaseUrl).pathname.slice(1);
    const elsewhere = new Client(inject('services').postgresUrl);
    await elsewhere.connect();
    onTestFinished(() => elsewhere.end());
    await elsewhere.query(`alter database ${name} allow_connections false`);
    at.queue.listen(note(at.heard), { concurrency: 1 });
    await expect.poll(() => at.troubles).toContain('connection');
    await elsewhere.query(`alter database ${name} allow_connections true`);
    await ringUntilHeard(at);
  });

  test('with foreign jobs drops them', async () => {
    const at = await stage();
    await at.queue.bell.ring([{ runId: randomUUID() }]);
    await at.operator.query(`update job set data = '{"runs": [{"id": 1}]}'`);
    at.queue.listen(note(at.heard), { concurrency: 1 });
    await ringUntilHeard(at);
    expect(at.troubles).toContain('foreign-job');
    await expect.poll(() => at.operator.query('select * from job')).toMatchObject({ rowCount: 0 });
  });

  test('that does not answer at first is reported, tried again, and opened when it answers', async () => {
    const database = await freshDatabase('empty');
    const url = new URL(database.url);
    const proxy = await faultProxy({ host: url.hostname, port: Number(url.port) });
    url.host = `127.0.0.1:${proxy.port}`;
    proxy.silence(true);
    const troubles: string[] = [];
    const queue = await openQueue({
      databaseClient: Client,
      databaseUrl: url.href,
      onTrouble: (what, { message }) => {
        troubles.push(`${what}: ${message}`);
        proxy.silence(false);
      },
    });
    onTestFinished(async () => {
      await queue.close();
      await proxy.close();
      await database.drop();
    });
    expect(troubles[0]).toMatch(/^connection: .*timeout/);
    await queue.bell.ring([{ runId: randomUUID() }]);
    expect((await queue.doctor()).bells).toMatchObject({ waiting: 1 });
  });

  test('A queue whose Postgres never answers rejects as unavailable, so that a later start may succeed', async () => {
    const database = await freshDatabase('empty');
    const url = new URL(database.url);
    const proxy = await faultProxy({ host: url.hostname, port: Number(url.port) });
    onTestFinished(async () => {
      await proxy.close();
      await database.drop();
    });
    url.host = `127.0.0.1:${proxy.port}`;
    proxy.silence(true);
    await expect(openQueue({ databaseClient: Client, databaseUrl: url.href, answerMs: 50 })).rejects.toThrow(
      UnavailableError,
    );
  });

  test('that is not there cannot be opened', async () => {
    const database = await freshDatabase('empty');
    await database.drop();
    await expect(openQueue({ databaseClient: Client, databaseUrl: database.url })).rejects.toThrow('does not exist');
  });
});

test('a queue in a Postgres that ends TLS in every bad way is refused, and no connection to it ends the process', async () => {
  const server = await hostileTls('S');
  onTestFinished(() => server.close());
  const databaseUrl = `postgres://ada:secret@127.0.0.1:${server.port}/baton?sslmode=verify-full`;
  for (let times = 1; times <= 16; times += 1)
    await expect(openQueue({ databaseClient: Client, databaseUrl })).rejects.toBeInstanceOf(Error);
});

/** Resolves when all that was committed before is on the disk: bells do not wait for it. */
async function onDisk(databaseUrl: string): Promise<void> {
  const client = new Client(databaseUrl);
  await client.connect();
  await client.query('create table written ()');
  await client.end();
}

test('a queue in a Postgres that crashes and recovers still has the bells that are on the disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'baton-postgres-'));
  let server = await startPostgres({ folder });
  const databaseUrl = server.url;
  const queue = await openQueue({ databaseClient: Client, databaseUrl });
  onTestFinished(async () => {
    await queue.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const heard: string[] = [];
  const isHeld = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const held = randomUUID();
  queue.listen(
    async (runId) => {
      if (runId === held) isHeld.resolve();
      await goOn.promise;
      heard.push(runId);
    },
    { concurrency: 1 },
  );
  const waiting = randomUUID();
  await queue.bell.ring([{ runId: held }]);
  await isHeld.promise;
  await queue.bell.ring([{ runId: waiting }]);
  await onDisk(databaseUrl);
  process.kill(server.pid, 'SIGQUIT');
  await server.lastLogLines;
  await expect(queue.bell.ring([{ runId: randomUUID() }])).rejects.toThrow(UnavailableError);
  expect(await queue.doctor()).toMatchObject({ isReachable: false });
  server = await startPostgres({ folder });
  expect(server.url).toBe(databaseUrl);
  goOn.resolve();
  await expect.poll(() => heard).toContain(waiting);
  await ringUntilHeard({ queue, heard });
  process.kill(server.pid, 'SIGQUIT');
  await queue.close();
});
