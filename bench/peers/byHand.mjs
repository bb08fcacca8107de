/**
 * Engines as one would write them by hand on BullMQ and Postgres, with nothing of what an engine is for: no definitions,
 * expressions, checks, intents, cancelling or history.
 *
 *   node byHand.mjs group    a job per run, group commit of all that is recorded, plans pinned: the floor
 *   node byHand.mjs run      a job per run, an INSERT for each step
 *   node byHand.mjs step     a job per step, an INSERT for each step
 */
import { Queue, Worker } from 'bullmq';
import { Pool } from 'pg';

import { closedLoop } from '../core/loop.ts';
import { serveLoads } from '../core/serveLoads.ts';
import { openEcho } from './echo.mjs';

const [, , design] = process.argv;
const isGrouped = design === 'group';
const workersInFlight = 50;
const pinned = '-c enable_hashjoin=off -c enable_mergejoin=off -c enable_seqscan=off';
const pool = new Pool({
  connectionString: process.env.DATABASE_URL,
  max: isGrouped ? 1 : workersInFlight,
  ...(isGrouped && { options: pinned }),
});
await pool.query(`create table runs (id bigint primary key, status text not null, input jsonb, output jsonb,
    created timestamptz not null, finished timestamptz);
  create table steps (run_id bigint not null, idx int not null, status text not null, result jsonb,
    started timestamptz not null, finished timestamptz not null, primary key (run_id, idx))`);

const input = JSON.stringify({ workflow: 'W', args: { message: 'hello' } });

/** One commit each. */
const singly = {
  run: (id) =>
    pool.query({
      name: 'r',
      text: `insert into runs values ($1,'queued',$2,null,$3,null)`,
      values: [id, input, new Date()],
    }),
  step: async (id, i, result, started, isLast) => {
    const values = [id, i, JSON.stringify(result), started, new Date()];
    await pool.query({ name: 's', text: `insert into steps values ($1,$2,'ok',$3,$4,$5)`, values });
    const end = `update runs set status = 'completed', output = $2, finished = $3 where id = $1`;
    if (isLast) await pool.query({ name: 'e', text: end, values: [id, values[2], new Date()] });
  },
};

const statement = `with r as (insert into runs select id, 'queued', input, null, at, null
    from unnest($1::bigint[], $2::jsonb[], $3::timestamptz[]) as t(id, input, at)),
  s as (insert into steps select * from unnest($4::bigint[], $5::int[], $6::text[], $7::jsonb[], $8::timestamptz[], $9::timestamptz[])),
  e as (update runs set status = 'completed', output = t.output, finished = t.at
    from unnest($10::bigint[], $11::jsonb[], $12::timestamptz[]) as t(id, output, at) where runs.id = t.id) select 1`;

/** All that came during one commit is the next one. */
let waiting = [];
let isBusy = false;

async function flush() {
  while (waiting.length > 0) {
    const batch = waiting;
    waiting = [];
    const values = Array.from({ length: 12 }, () => []);
    for (const [first, row] of batch) row.forEach((value, i) => values[first + i].push(value));
    await pool.query({ name: 'g', text: statement, values });
    for (const [, , done] of batch) done();
  }
  isBusy = false;
}

const put = (first, row) =>
  new Promise((done) => {
    waiting.push([first, row, done]);
    if (isBusy) return;
    isBusy = true;
    queueMicrotask(() => void flush());
  });

const grouped = {
  run: (id) => put(0, [id, input, new Date().toISOString()]),
  step: async (id, i, result, started, isLast) => {
    const [text, at] = [JSON.stringify(result), new Date().toISOString()];
    const step = put(3, [id, i, 'ok', text, started.toISOString(), at]);
    await (isLast ? Promise.all([step, put(9, [id, text, at])]) : step);
  },
};

const records = isGrouped ? grouped : singly;
const stepOf = await openEcho();
const { hostname: host, port } = new URL(process.env.REDIS_URL);
const connection = { host, port: Number(port), maxRetriesPerRequest: null };
const name = `by-hand-${design}`;
const queue = new Queue(name, { connection });
const opts = { removeOnComplete: true, removeOnFail: true };
const ends = new Map();

async function take(id, kind, i, steps) {
  const started = new Date();
  const result = await stepOf(kind)(i);
  await records.step(id, i, result, started, i === steps - 1);
}

async function perRun({ data: { id, kind, steps } }) {
  for (let i = 0; i < steps; i += 1) await take(id, kind, i, steps);
  return true;
}

async function perStep({ data: { id, kind, steps, i } }) {
  await take(id, kind, i, steps);
  if (i < steps - 1) await queue.add('s', { id, kind, steps, i: i + 1 }, opts);
  return i === steps - 1;
}

const worker = new Worker(name, design === 'step' ? perStep : perRun, { connection, concurrency: workersInFlight });
worker.on('completed', ({ data: { id } }, isEnd) => {
  if (!isEnd) return;
  ends.get(id)?.();
  ends.delete(id);
});
worker.on('failed', (_, error) => process.send?.({ failed: String(error) }));
await worker.waitUntilReady();

/** Jobs of one turn of the event loop share a round trip. */
let jobs = [];

function add(data) {
  if (!isGrouped) return queue.add('s', data, opts);
  if (jobs.length === 0) {
    setImmediate(() => {
      const all = jobs;
      jobs = [];
      void queue.addBulk(all);
    });
  }
  jobs.push({ name: 's', data, opts });
  return undefined;
}

let lastId = 0;

async function run(kind, steps) {
  lastId += 1;
  const id = lastId;
  await records.run(id);
  await new Promise((done) => {
    ends.set(id, done);
    void add({ id, kind, steps, i: 0 });
  });
}

await serveLoads({
  prepare:
    async ({ kind, steps }) =>
    () =>
      run(kind, steps),
  loop: closedLoop,
});
