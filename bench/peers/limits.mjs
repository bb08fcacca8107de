/**
 * Limits: one operation alone, as fast as it goes.
 *
 *   node limits.mjs call           a bare MCP client, one stdio session
 *   node limits.mjs job            bare BullMQ on Redis, add and process a no-op
 *   node limits.mjs job-postgres   the same on its Postgres backend
 *   node limits.mjs row            durable rows, group commit by one connection
 */
import { createPostgresBackend, createRedisBackend, Queue, Worker } from 'bullmq';
import { Client } from 'pg';

import { closedLoop } from '../core/loop.ts';
import { serveLoads } from '../core/serveLoads.ts';
import { openEcho } from './echo.mjs';

const { DATABASE_URL: connectionString, REDIS_URL: redisUrl } = process.env;

async function calls() {
  const call = (await openEcho())('W');
  return () => call(0);
}

async function jobs(connection, backend) {
  const queue = new Queue('limit', { connection }, backend);
  await queue.waitUntilReady();
  const ends = new Map();
  const worker = new Worker('limit', async () => undefined, { connection, concurrency: 50 }, backend);
  worker.on('completed', ({ data: { n } }) => ends.get(n)?.());
  await worker.waitUntilReady();
  let last = 0;
  return async () => {
    last += 1;
    const n = last;
    const ended = new Promise((resolve) => ends.set(n, resolve));
    await queue.add('j', { n }, { removeOnComplete: true, removeOnFail: true });
    await ended;
    ends.delete(n);
  };
}

async function rows() {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query(
    'create table row (run_id bigint, idx int, result jsonb, at timestamptz, primary key (run_id, idx))',
  );
  const text = 'insert into row select * from unnest($1::bigint[], $2::int[], $3::jsonb[], $4::timestamptz[])';
  const result = JSON.stringify({ content: [{ type: 'text', text: 'Echo: hello step 12345' }] });
  let waiting = [];
  let isBusy = false;
  let last = 0;
  const flush = async () => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const values = [0, 1, 2, 3].map((column) => batch.map(({ row }) => row[column]));
      await client.query({ name: 'rows', text, values });
      for (const { done } of batch) done();
    }
    isBusy = false;
  };
  return () =>
    new Promise((done) => {
      last += 1;
      waiting.push({ row: [last, 1, result, new Date().toISOString()], done });
      if (isBusy) return;
      isBusy = true;
      queueMicrotask(() => void flush());
    });
}

const redis = () => ({
  host: new URL(redisUrl).hostname,
  port: Number(new URL(redisUrl).port),
  maxRetriesPerRequest: null,
});
const openers = {
  call: calls,
  job: () => jobs(redis(), createRedisBackend),
  'job-postgres': () => jobs({ connectionString, migrate: true }, createPostgresBackend),
  row: rows,
};
const one = await openers[process.argv[2]]();
await serveLoads({ prepare: async () => one, loop: closedLoop });
