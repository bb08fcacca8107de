import { type FreshStore, freshStore, neverEnded, requestedEvent, runningRow } from '@baton/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { auditRecords } from '../audit/auditRecords.ts';
import { listEntries } from '../audit/entries.ts';
import { sealRuns } from '../audit/sealRuns.ts';
import { findUnsealed, sealedUntil } from '../audit/unsealed.ts';
import { PinnedConnection } from '../database/pinnedConnection.ts';
import { lastPositions } from '../journal/lastPositions.ts';
import { feedEnd, readFeed } from '../journal/readFeed.ts';
import { readPage } from '../journal/readPage.ts';
import { countRemovable } from '../retention/countRemovable.ts';
import { removeRecords } from '../retention/removeRecords.ts';
import { removeRuns } from '../retention/removeRuns.ts';
import { activeRuns, decideDue, decideQueued, findQueued, listFirings, queueFirings } from '../schedules/firings.ts';
import { nextDue } from '../schedules/schedules.ts';
import { neglectedRuns } from '../sharing/fairShare.ts';
import { askedTimes } from './askedTime.ts';
import { noteCallback, takeCallbacks } from './callbacks.ts';
import { untakenEnds } from './childEnds.ts';
import { failedRuns } from './failedRuns.ts';
import { getChildRun, getRun } from './getRun.ts';
import { getIdempotencyKey } from './idempotencyKey.ts';
import { listRuns } from './listRuns.ts';
import { recentRuns } from './recentRuns.ts';
import { countQuestions, countQueued, queueCounts } from './runCounts.ts';
import { runHistogram } from './runHistogram.ts';
import { cancellingAmong, cancellingRuns, dueRuns, silentRuns, unknownRuns } from './stuckRuns.ts';
import { unpassedTurns } from './turns.ts';
import { unknownOutcomes } from './unknownOutcomes.ts';

/**
 * Goal: nothing that is asked every few seconds, or by a request, takes longer the more runs are stored.
 * Method: tables that are long enough for Postgres to choose as it would for a million rows; every statement that an
 * operation sends is explained. No large table is read from its beginning to its end, and a question reads few pages.
 */
const finished = 40_000;
const hourMs = 3_600_000;
const nowMs = Date.now();

let store: FreshStore;
let some: string;

beforeAll(async () => {
  store = await freshStore();
  // The store's own connections give up a statement that takes as long as these may.
  const filling = new Client(store.url);
  await filling.connect();
  for (const text of rows) await filling.query(text);
  await filling.query('vacuum analyze');
  await filling.end();
  const { rows: found } = await store.pool.query<{ id: string }>('select id from run order by id offset 20000 limit 1');
  some = found[0]?.id ?? '';
}, 120_000);

afterAll(() => store.close());

const idOf = (n: string, ageMs: string): string =>
  `(lpad(to_hex(${nowMs} - ${ageMs}), 12, '0') || '7' || substr(md5(${n}), 1, 3) || '8' || substr(md5(${n}), 4, 15))::uuid`;

/**
 * One of two hundred failed, one of a hundred has a tag, one of fifty was started by a schedule, one of twenty has a
 * parent.
 */
const rows = [
  `insert into run (id, workflow, definition, status, trigger_kind, trigger_detail, by, tags, priority, depth, inputs, created_at,
     ended_at, is_unsuccessful, parent_run_id, parent_path, parent_attempt)
   select ${idOf('n::text', 'age')}, 'w' || n % 20, 'd', case when n % 200 = 0 then 'failed' else 'succeeded' end,
     case when n % 50 = 0 then 'schedule' else 'api' end, '{"schedule":"w0.s"}', 'k',
     case when n % 100 = 0 then array['t'] else '{}' end, 0, 0, '{"json":{}}', to_timestamp((${nowMs} - age) / 1000.0),
     to_timestamp((${nowMs} - age) / 1000.0), n % 200 = 0, case when n % 20 = 0 then gen_random_uuid() end, 'a', 1
   from (select n, (${finished} - n) * 60000::bigint + ${2 * hourMs} as age from generate_series(1, ${finished}) as n) as numbers`,
  `insert into run (id, workflow, definition, status, trigger_kind, by, tags, priority, depth, inputs, created_at, is_waiting, worker)
   select ${idOf("'x' || n", 'age')}, 'w' || n % 20, 'd', case when n < 5000 then 'waiting' when n % 2 = 0 then 'queued' else 'running' end,
     'api', 'k', '{}', 0, 0, '{"json":{}}', to_timestamp((${nowMs} - age) / 1000.0), n < 5000, 'w-gone'
   from (select n, (10000 - n) * 100::bigint as age from generate_series(1, 5100) as n) as numbers`,
  // Each in a transaction of its own: the feed of events in other tests waits for the oldest one of the whole server.
  ...[1, 2, 3, 4].map((seq) => `insert into run_event select id, ${seq}, 0, 'run.requested', '{}', '\\x00' from run`),
  `insert into sealed_run select id, place / 500 + 1, place % 500, 4, '\\x00' from
     (select id, (row_number() over (order by id) - 1)::int as place from run where ended_at is not null) as placed`,
  `insert into mark_start select id, 'k', 4, '\\x00', '\\x00' from run`,
  `insert into seal select n, ${nowMs - hourMs}, 500, '\\x00', 0, '\\x00', '\\x00' from generate_series(1, ${finished / 500}) as n`,
  // The first entries are those of the store itself.
  `insert into audit_entry select n + (select coalesce(max(seq), 0) from audit_entry), ${nowMs} - (20000 - n) * 1000::bigint, 'k' || n % 500, 'workflow.deployed', 'w' || n % 500, '{}', '\\x00'
   from generate_series(1, 20000) as n`,
  `insert into idempotency_key select 's', n::text, gen_random_uuid(), 'd', to_timestamp((${nowMs} - (20000 - n) * 60000::bigint) / 1000.0)
   from generate_series(1, 20000) as n`,
  `insert into firing select 'w' || n % 20 || '.s', to_timestamp((${nowMs} - (20000 - n) * 60000::bigint) / 1000.0), 'started', null, null, 'due', 'x'
   from generate_series(1, 20000) as n`,
  `insert into schedule (id, workflow, version, trigger, cron, timezone, overlap, catch_up, catch_up_window_ms, next_at)
   select 'w' || n || '.s', 'w' || n, 1, 's', '* * * * *', 'UTC', 'queue', 'all', 0, now() + interval '1 hour' from generate_series(0, 19) as n`,
  `insert into callback (run_id, url, secret, status) select id, 'u', 's', 'delivered' from run where ended_at is not null`,
  `insert into blob select decode(md5(n::text) || md5(n::text), 'hex'), '\\x00' from generate_series(1, 20000) as n`,
  `insert into blob_use select sha256, id from (select sha256, row_number() over () as n from blob) as b
   join (select id, row_number() over (order by id) as n from run) as r using (n)`,
  `insert into turn select id, 'k' || workflow, 1, created_at, row_number() over (partition by workflow order by id) = 1
   from run where ended_at is null`,
  `insert into child_end select id, id, created_at from run where ended_at is null`,
];

const small = new Set([
  'fence',
  'schedule',
  'worker',
  'seal',
  'workflow',
  'workflow_version',
  'definition',
  '_prisma_migrations',
]);

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly Plan[];
}

const nodesOf = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

interface Explained {
  readonly 'QUERY PLAN': readonly { readonly Plan: Plan }[];
}

type Query = Client['query'];
type Statement = string | { readonly text: string; readonly values?: readonly unknown[] };

/** What it sends, as it sends it. */
async function sentBy(operation: () => Promise<unknown>): Promise<readonly [string, readonly unknown[]][]> {
  const sent: [string, readonly unknown[]][] = [];
  const noting = function (this: Client, ...given: [Statement, unknown]): unknown {
    const [statement, values] = given;
    const text = typeof statement === 'string' ? statement : statement.text;
    const bound = typeof statement === 'string' ? values : statement.values;
    if (/^\s*\(?(select|with|insert|update|delete)\b/i.test(text)) sent.push([text, Array.isArray(bound) ? bound : []]);
    return Reflect.apply(original, this, given);
  };
  Client.prototype.query = noting as unknown as Query;
  await operation().finally(() => (Client.prototype.query = original));
  return sent;
}

const original = Client.prototype.query;

interface Cost {
  /** Tables that were read as a whole. */
  readonly scanned: readonly string[];
  /** Pages that a question has read. */
  readonly pages: number;
  /** Whether Postgres would start workers for a question. */
  readonly isParallel: boolean;
}

/** `zeros`: settings that are 0 meanwhile. */
async function costOf(
  operation: () => Promise<unknown>,
  { pool } = store,
  zeros: readonly string[] = [],
): Promise<Cost> {
  const scanned: string[] = [];
  let pages = 0;
  let isParallel = false;
  const sent = await sentBy(operation);
  expect(sent.length).toBeGreaterThan(0);
  const client = await pool.connect();
  await client.query(`${neverEnded}; begin`);
  for (const setting of zeros) await client.query(`set local ${setting} = 0`);
  for (const [text, values] of sent) {
    if (/\bset_config\b/.test(text)) {
      await client.query(text, [...values]);
      continue;
    }
    const isQuestion = !/\b(insert|update|delete|advisory|remove_journals)\b/i.test(text);
    const { rows: found } = await client.query<Explained>(
      `explain (${isQuestion ? 'analyze, buffers, ' : ''}format json) ${text}`,
      [...values],
    );
    for (const { Plan: plan } of found[0]?.['QUERY PLAN'] ?? []) {
      pages += (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
      for (const { 'Node Type': type, 'Relation Name': table = '' } of nodesOf(plan)) {
        if (type === 'Seq Scan' && !small.has(table)) scanned.push(`${table}: ${text}`);
        isParallel ||= type.startsWith('Gather');
      }
    }
  }
  await client.query('rollback');
  client.release();
  return { scanned, pages, isParallel };
}

const within = { forMs: 0, limit: 100 };
const list = (filter: Parameters<typeof listRuns>[1], after?: string) => () =>
  listRuns(store, filter, { limit: 50, ...(after === undefined ? {} : { after }) });
const entries = (filter: Parameters<typeof listEntries>[1]) => () => listEntries(store, filter, { limit: 50 });
const dayAgo = nowMs - 24 * hourMs;

/**
 * With how many pages it may read where that is more than usual: what grows with what is under way, not with what is
 * stored.
 */
const operations: readonly [string, () => Promise<unknown>, number?][] = [
  ['the newest runs', list({})],
  ['a later page of them', () => list({}, some)()],
  ['runs of a workflow', list({ workflow: 'w3' })],
  ['runs that a key reaches', list({ workflows: ['w3', 'w4'] })],
  ['runs of a project', list({ workflow: 'default/*' })],
  ['runs of a project that has none', list({ workflow: 'none/*' })],
  ['runs that failed', list({ statuses: ['failed', 'cancelled'] })],
  ['runs that failed, of a workflow', list({ workflow: 'w0', statuses: ['failed'] })],
  ['runs that succeeded', list({ statuses: ['succeeded'] })],
  ['runs that are queued', list({ statuses: ['queued'] })],
  ['runs that wait', list({ statuses: ['waiting'] })],
  ['runs that are under way', list({ statuses: ['queued', 'running', 'waiting'] })],
  ['runs that a run started', () => list({ parentRunId: some })()],
  ['runs with a call of unknown outcome', list({ isUnknown: true })],
  ['calls of unknown outcome', () => unknownOutcomes(store, {}, 500)],
  ['runs with a tag', list({ tag: 't' }), 600],
  ['runs with a tag that no run has', list({ tag: 'none' })],
  ['runs of schedules', list({ trigger: 'schedule' })],
  ['runs of webhooks, of which there are none', list({ trigger: 'webhook' })],
  ['runs of a day', list({ from: dayAgo, to: dayAgo + hourMs })],
  ['runs with questions', list({ isAsking: true })],
  ['runs with a text in the failure', list({ text: 'broken' }), 10_500],
  ['failures that are compared', () => failedRuns(store, {}, 5_000), 30_000],
  ['failures of a workflow that are compared', () => failedRuns(store, { workflow: 'w3' }, 5_000), 10_000],
  // Reads the text of each definition, of which there are as many as of inline runs here.
  ['runs of a tool', list({ tool: 'x' }), 3_000],
  [
    'runs over an hour, counted',
    () => runHistogram(store, {}, { from: dayAgo, bucketMs: hourMs / 60, buckets: 60 }),
    2_000,
  ],
  ['the last runs of a workflow', () => recentRuns(store, 'w3', 50)],
  ['how long runs waited for people', () => askedTimes(store, [some])],
  ['the queue in numbers', () => queueCounts(store, 100), 3_000],
  ['runs of a workflow that has none', list({ workflow: 'none' })],
  ['a run', () => getRun(store, some)],
  ['a child', () => getChildRun(store, { runId: some, path: 'a', attempt: 1 })],
  ['a journal', async () => (await store.journal.open(some))?.log.seq],
  ['a page of a journal', () => readPage(store, some, { limit: 100 })],
  [
    'the newest events of all runs',
    async () => readFeed(store, { after: (await feedEnd(store)).position, limit: 200 }),
  ],
  ['positions', () => lastPositions(store, [some])],
  ['a key', () => getIdempotencyKey(store, { scope: 's', key: '77' })],
  ['a large value', () => store.blobs.get('a'.repeat(64))],
  ['a new run', async () => newRun()],
  [
    'what Postgres had before',
    async () => {
      await store.history.look();
      await store.history.look();
    },
  ],
  ['what there is to look after', () => store.runsAtWork(), 30],
  ['runs that are due', () => dueRuns(store, within), 600],
  ['runs whose worker is silent', () => silentRuns(store, within), 600],
  ['runs that a worker does not know', () => unknownRuns(store, 'w-gone', { known: [], limit: 100 }), 600],
  ['runs that are to stop', () => cancellingRuns(store, { limit: 100 })],
  ['runs of a worker that are to stop', () => cancellingAmong(store, [some])],
  ['ends of children that no parent has taken', () => untakenEnds(store, within)],
  [
    'runs that are neglected',
    () => neglectedRuns(store, { ...within, driven: [], slots: 50, silentMs: 0, except: [], served: [] }),
    2_000,
  ],
  [
    'offered runs that are neglected',
    () => store.offeredRuns({ ...within, driven: [some], slots: 50, silentMs: 0, except: [], served: [] }, [some]),
  ],
  ['runs that wait for a worker', () => countQueued(store, 100_000), 600],
  ['questions that are open', () => countQuestions(store, 100_000)],
  ['turns to pass', () => unpassedTurns(store, { ...within, isThorough: false })],
  ['callbacks that are due', () => takeCallbacks(store, { nowMs, limit: 20, holdMs: 1_000 })],
  ['what became of a callback', () => noteCallback(store, some, { status: 'delivered' })],
  ['runs of a schedule that go on', () => activeRuns(store, { id: 'w0.s', formerly: [], workflow: 'w0' }, 1), 600],
  [
    'schedules that are due',
    () =>
      decideDue(store, { nowMs: nowMs + 2 * hourMs, except: [] }, async () => ({
        firings: [],
        nextAt: nowMs + hourMs,
      })),
  ],
  ['schedules with instants that wait', () => findQueued(store, { limit: 100 })],
  ['an instant that waits', () => decideQueued(store, 'w0.s', async () => undefined)],
  ['instants to wait', () => queueFirings(store, 'w0.s', { instants: [nowMs - 10 * hourMs], by: 'x' })],
  ['the next instant', () => nextDue(store)],
  ['what became of instants', () => listFirings(store, 'w0.s', 50)],
  ['what was done', entries({})],
  ['what was done, of one kind', entries({ action: 'secret.set' })],
  ['what one key did', entries({ by: 'k7' })],
  ['what an unknown key did', entries({ by: 'unknown' })],
  ['what was done to something', entries({ target: 'w7' })],
  ['what was done in an hour', entries({ from: nowMs - 2 * hourMs, to: nowMs - hourMs })],
  ['until when runs are sealed', () => sealedUntil(store)],
  ['runs to seal', () => sealRuns(store, { nowMs, from: nowMs - hourMs })],
  ['unsealed runs', () => findUnsealed(store, { before: some, most: 1_000, endedBefore: nowMs }), 10_000],
  ['the beginning of an export', () => auditRecords(store, { nowMs }).next()],
  ['what could be removed', () => countRemovable(store, { runsBefore: 1, recordsBefore: 1 })],
  ['runs to remove', () => removeRuns(store, { endedBefore: nowMs - 600 * hourMs }), 5_500],
  ['records to remove', () => removeRecords(store, { before: nowMs - 300 * hourMs })],
];

async function newRun(): Promise<void> {
  const event = requestedEvent({ at: nowMs });
  const { runId } = await store.request({ event, idempotency: { scope: 's', key: 'new', digest: 'd' } });
  const opened = await store.journal.open(runId);
  const row = runningRow({ status: 'succeeded', endedAt: nowMs });
  await opened?.log.append({ events: [{ type: 'run.finished', at: nowMs, status: 'succeeded' }], row });
}

describe('with many rows in every table', () => {
  test.each(operations)('asking for %s reads no table as a whole', async (_, operation, most = 400) => {
    const { scanned, pages } = await costOf(operation);
    expect(scanned).toEqual([]);
    expect(pages).toBeLessThan(most);
  });
});

/**
 * Goal: a plan that Postgres keeps from a young installation stays right for an old one.
 * Method: what the pinned connections ask, explained on their settings in a database without a row.
 */
describe('with no row in any table', () => {
  test.each<[string, (young: FreshStore) => Promise<unknown>, RegExp]>([
    ['the end of a run', (young) => young.findOutcome(some), /^\w+_pkey$/],
    ['a journal', (young) => young.journal.open(some), /^\w+_pkey$/],
    [
      'what there is to look after',
      (young) => young.runsAtWork(),
      /^run_active run_wake_at run_cancelling child_end_pkey turn_/,
    ],
  ])('%s is looked up by the index that is made for it', async (_, operation, indexes) => {
    const young = await freshStore();
    const sent = await sentBy(() => operation(young));
    const pinned = new PinnedConnection(young.pool);
    const found: (string | undefined)[] = [];
    for (const [text] of sent) {
      const { rows: plans } = await pinned.query({ text: `explain (generic_plan, format json) ${text}` });
      const [{ Plan: plan }] = JSON.parse(plans[0]?.[0] ?? '') as [{ Plan: Plan }];
      const isOfTable = ({ 'Node Type': type }: Plan): boolean => /^(Index|Bitmap|Seq)/.test(type);
      found.push(
        ...nodesOf(plan)
          .filter((node) => isOfTable(node))
          .map((node) => node['Index Name'] ?? node['Relation Name']),
      );
    }
    pinned.close();
    await young.close();
    expect(found.join(' ')).toMatch(indexes);
  });
});

/**
 * Goal: a young installation under load, whose tables Postgres has not analysed yet, seals as fast as an old one.
 * Method: 5,000 runs, all to be sealed, without statistics. A seal of 500 reads what it takes, and nothing else.
 */
test('before Postgres has analysed a table, a seal reads the runs that it seals', async () => {
  const young = await freshStore();
  for (const table of ['run', 'run_event', 'sealed_run'])
    await young.pool.query(`alter table ${table} set (autovacuum_enabled = off)`);
  await young.pool.query(
    `insert into run (id, workflow, definition, status, trigger_kind, by, tags, priority, depth, inputs, created_at, ended_at)
     select ${idOf('n::text', 'n')}, 'w', 'd', 'succeeded', 'api', 'k', '{}', 0, 0, '{"json":{}}', now(), now() - n * interval '1 ms'
     from generate_series(1, 5000) as n`,
  );
  await young.pool.query(
    `insert into run_event select id, seq, 0, 'run.finished', '{}', '\\x00' from run, generate_series(1, 4) as seq`,
  );
  // As if there were a hundred thousand runs.
  const zeros = ['min_parallel_table_scan_size', 'min_parallel_index_scan_size', 'parallel_setup_cost'];
  const { scanned, pages, isParallel } = await costOf(() => sealRuns(young, { nowMs }), young, zeros);
  await young.close();
  // It has the first entries only.
  expect(scanned.filter((scan) => !scan.startsWith('audit_entry: '))).toEqual([]);
  expect(pages).toBeLessThan(7_000);
  expect(isParallel).toBe(false);
});

test.each<[string, (young: FreshStore) => Promise<unknown>]>([
  ['due runs', (young) => dueRuns(young, { forMs: 1_000, limit: 10 })],
  [
    'neglected runs',
    (young) =>
      neglectedRuns(young, { driven: [], slots: 20, forMs: 1_000, silentMs: 6_000, limit: 10, except: [], served: [] }),
  ],
  ['runs of silent workers, of which there are none', (young) => silentRuns(young, { forMs: 6_000, limit: 10 })],
])('before Postgres has analysed a table, a look for %s reads a few of ten thousand', async (_, look) => {
  const young = await freshStore();
  await young.pool.query('alter table run set (autovacuum_enabled = off)');
  await young.pool.query(
    `insert into run (id, workflow, definition, status, trigger_kind, by, tags, priority, depth, inputs, created_at)
     select ${idOf('n::text', 'n')}, 'w' || n % 2, 'd', 'queued', 'api', 'k' || n % 3, '{}', n % 5, 0, '{"json":{}}',
       now() - interval '1 minute'
     from generate_series(1, 10000) as n`,
  );
  const { scanned, pages } = await costOf(() => look(young), young);
  await young.close();
  expect(scanned).toEqual([]);
  expect(pages).toBeLessThan(300);
});
