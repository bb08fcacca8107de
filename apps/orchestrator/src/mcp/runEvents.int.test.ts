/** Baton's runs as events of MCP (SEP-3415), for any client and for another Baton. */
import { advance } from '@baton/runner';
import { definitionOf, deleteWorkflow, deployWorkflow, listRuns } from '@baton/store';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { askOverMcp } from '../testing/overMcp.ts';
import { PollingOrchestrator, answered, subjectsOf } from '../testing/pollingOrchestrator.ts';
import { type TestApp, openTestApp } from '../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;
let url: string;
let reader: string;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url, { parts: { publicUrl: 'https://baton.example/' } });
  url = await app.listen();
  for (const name of ['payments/pay', 'forms/sign']) await app.deploy(`workflow: ${name}\nsteps: [{ ask: Really? }]\n`);
  reader = await app.newKey(['runs:read']);
});

afterAll(async () => {
  await app.close();
  await store.close();
});

interface Page {
  readonly events: readonly {
    readonly eventId: string;
    readonly name: string;
    readonly data: Record<string, unknown>;
  }[];
  readonly cursor: string;
  readonly truncated: boolean;
  readonly hasMore: boolean;
}

interface Answer {
  readonly result?: Page & { readonly capabilities?: object };
  readonly error?: { readonly code: number; readonly message: string };
}

async function ask(method: string, params: object, key = reader): Promise<Answer> {
  const text = await askOverMcp(app, key, method, params);
  return JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text) as Answer;
}

async function poll(name: string, params: object = {}, key = reader): Promise<Page> {
  const { result, error } = await ask('events/poll', { name, ...params }, key);
  if (result === undefined) throw new Error(JSON.stringify(error));
  return result;
}

const now = async (name = 'run.finished', key = reader): Promise<string> =>
  (await poll(name, { cursor: null }, key)).cursor;

async function started(workflow: string): Promise<string> {
  const { body } = await app.ask(`POST /v1/workflows/${encodeURIComponent(workflow)}/runs`, { json: {} });
  return String(body['id']);
}

const question = { message: 'Really?', form: {} };

async function ended(
  workflow: string,
  status: 'succeeded' | 'failed' = 'succeeded',
  message = 'Too slow.',
): Promise<string> {
  const runId = await started(workflow);
  const failure = { code: 'timeout', message };
  await advance(store.journal, runId, ({ at }) => [
    { type: 'run.claimed', at, worker: 'w', claim: 1 },
    status === 'failed' ? { type: 'run.finished', at, status, failure } : { type: 'run.finished', at, status },
  ]);
  return runId;
}

/** Once the feed has passed them: the runs whose events came, page by page. */
async function read(cursor: string, params: object = {}, key = reader): Promise<{ runs: unknown[]; last: string }> {
  const runs: unknown[] = [];
  let last = cursor;
  for (;;) {
    const page = await poll('run.finished', { cursor: last, ...params }, key);
    runs.push(...page.events.map(({ data }) => data['run']));
    last = page.cursor;
    if (!page.hasMore) return { runs, last };
  }
}

const runsAfter = async (...asked: Parameters<typeof read>): Promise<unknown[]> => (await read(...asked)).runs;

test('A client finds the events with their schemas, and none are offered to a key that may not read runs.', async () => {
  const { result } = (await ask('events/list', {})) as unknown as {
    result?: { events: { name: string; delivery: string[] }[] };
  };
  expect(result?.events.map(({ name, delivery }) => [name, ...delivery])).toEqual([
    ['run.finished', 'poll'],
    ['question.asked', 'poll'],
  ]);
  const blind = await app.newKey(['questions:answer']);
  expect((await ask('events/poll', { name: 'run.finished', cursor: null }, blind)).error?.code).toBe(-32_012);
});

test('Each run that ends after the cursor is one event, once, with how it ended and its page.', async () => {
  const cursor = await now();
  const [paid, failed] = [await ended('payments/pay'), await ended('payments/pay', 'failed')];
  await expect.poll(() => runsAfter(cursor)).toEqual([paid, failed]);
  const { events } = await poll('run.finished', { cursor });
  expect(events.map(({ data }) => data)).toEqual([
    {
      run: paid,
      workflow: 'payments/pay',
      url: `https://baton.example/runs/${paid}`,
      status: 'succeeded',
      error: null,
    },
    {
      run: failed,
      workflow: 'payments/pay',
      url: `https://baton.example/runs/${failed}`,
      status: 'failed',
      error: { code: 'timeout', message: 'Too slow.' },
    },
  ]);
  const { last } = await read(cursor);
  expect((await read(last)).runs).toEqual([]);
});

test('Where the ends of runs are too large for one read of the journal, Baton tells a client of all of them at once.', async () => {
  const cursor = await now();
  const large = 'x'.repeat(3 * 1024 * 1024);
  const all = [await ended('payments/pay', 'failed', large), await ended('payments/pay', 'failed', large)];
  await expect.poll(() => runsAfter(cursor, { arguments: { workflow: 'payments/pay' } })).toEqual(all);
});

test('A client can ask for some workflows and some ends, in pages of its size.', async () => {
  const cursor = await now();
  const all = [await ended('payments/pay'), await ended('forms/sign', 'failed'), await ended('payments/pay', 'failed')];
  await expect.poll(() => runsAfter(cursor, { maxEvents: 1 })).toEqual(all);
  expect(await poll('run.finished', { cursor, maxEvents: 1 })).toMatchObject({ hasMore: true, events: [{}] });
  await expect
    .poll(() => runsAfter(cursor, { arguments: { workflow: 'payments/*', status: ['failed'] } }))
    .toEqual([all[2]]);
});

test('A key sees the events of its workflows alone, and its cursor passes the others.', async () => {
  const key = await app.newKey(['runs:read'], { workflows: ['forms/*'] });
  const cursor = await now('run.finished', key);
  const [, mine] = [await ended('payments/pay'), await ended('forms/sign')];
  await expect.poll(() => runsAfter(cursor, {}, key)).toEqual([mine]);
  await ended('payments/pay');
  await expect.poll(() => runsAfter(cursor, {}, key)).toEqual([mine]);
});

test('A question is an event with its step and its words.', async () => {
  const cursor = await now('question.asked');
  const runId = await started('forms/sign');
  await advance(store.journal, runId, ({ at }) => [
    { type: 'run.claimed', at, worker: 'w', claim: 1 },
    { type: 'step.waiting', at, path: 'sure', verb: 'ask', attempt: 1, awaiting: { for: 'answer', question } },
  ]);
  const url = `https://baton.example/runs/${runId}`;
  await expect
    .poll(async () => (await poll('question.asked', { cursor })).events.map(({ data }) => data))
    .toEqual([{ run: runId, workflow: 'forms/sign', url, step: 'sure', message: 'Really?' }]);
});

test('A cursor that is none, or of another database, is a gap, and so are events that are too old for the client.', async () => {
  for (const cursor of ['none', 'x'.repeat(9_000)])
    expect(await poll('run.finished', { cursor })).toMatchObject({ events: [], truncated: true });
  const cursor = await now();
  const paid = await ended('payments/pay');
  await expect.poll(() => runsAfter(cursor)).toEqual([paid]);
  expect(await poll('run.finished', { cursor, maxAgeMs: 0 })).toMatchObject({ events: [], truncated: true });
  expect(await poll('run.finished', { cursor, maxAgeMs: 3_600_000 })).toMatchObject({ truncated: false });
});

test.each([
  ['an event that there is not', { name: 'run.began' }, -32_011],
  ['a parameter that there is not', { name: 'run.finished', arguments: { flow: 'a' } }, -32_602],
  ['a status that no end has', { name: 'run.finished', arguments: { status: ['running'] } }, -32_602],
])('A client that asks for %s is told so.', async (_, params, code) => {
  expect((await ask('events/poll', { cursor: null, ...params })).error?.code).toBe(code);
});

test('With BATON_EVENTS=off no events are offered.', async () => {
  const off = await openTestApp(store, store.url, { parts: { hasEvents: false } });
  onTestFinished(() => off.close());
  expect(await askOverMcp(off, reader, 'events/list', {})).toContain('-32601');
});

test('Another Baton starts one run for each, by `on: event`, and goes on where it was.', async () => {
  const theirs = await freshStore();
  const entry = { type: 'http', url: `${url}/mcp`, headers: { authorization: `Bearer ${reader}` } };
  const other = new PollingOrchestrator(theirs, { entry }, { server: 'baton' });
  onTestFinished(async () => {
    await other.end();
    await theirs.close();
  });
  const text = `workflow: follow
on: [{ event: baton/run.finished, id: e, params: { workflow: "payments/*" }, inputs: { subject: "\${{ event.run }}" } }]
inputs: { subject: { type: string } }
steps: [{ set: { a: 1 } }]
`;
  const definition = definitionOf(text, 'yaml', {});
  await deployWorkflow(theirs, { workflow: 'follow', definition, findings: [], by: 'test' });
  await answered(other.poll('follow'));
  const runs = [await ended('payments/pay'), await ended('payments/pay', 'failed')];
  await ended('forms/sign');
  await expect
    .poll(async () => {
      await answered(other.poll('follow'));
      return subjectsOf(theirs, 'follow');
    })
    .toEqual(runs.toSorted());
  await answered(other.poll('follow'));
  expect(await subjectsOf(theirs, 'follow')).toEqual(runs.toSorted());
});

test('A Baton that follows its own runs starts none for the runs that this started, nor for their child runs.', async () => {
  const entry = { type: 'http', url: `${url}/mcp`, headers: { authorization: `Bearer ${reader}` } };
  const itself = new PollingOrchestrator(store, { entry }, { server: 'baton' });
  onTestFinished(() => itself.end());
  const text = `workflow: echo
on: [{ event: baton/run.finished, id: e, inputs: { subject: "\${{ event.run }}" } }]
inputs: { subject: { type: string } }
steps: [{ set: { a: 1 } }]
`;
  const definition = definitionOf(text, 'yaml', {});
  await deployWorkflow(store, { workflow: 'echo', definition, findings: [], by: 'test' });
  onTestFinished(async () => void (await deleteWorkflow(store, 'echo', 'test')));
  await answered(itself.poll('echo'));
  const first = await ended('payments/pay');
  const follow = async (): Promise<unknown[]> => {
    await answered(itself.poll('echo'));
    return subjectsOf(store, 'echo');
  };
  await expect.poll(follow).toEqual([first]);
  const { runs } = await listRuns(store, { workflow: 'echo' }, { limit: 1 });
  const [echo = ''] = runs.map(({ id }) => id);
  const child = await started('forms/sign');
  await store.pool.query('update run set parent_run_id = $1 where id = $2', [echo, child]);
  for (const runId of [child, echo])
    await advance(store.journal, runId, ({ at }) => [
      { type: 'run.claimed', at, worker: 'w', claim: 1 },
      { type: 'run.finished', at, status: 'succeeded' },
    ]);
  const last = await ended('payments/pay');
  await expect.poll(follow).toEqual([first, last].toSorted());
});
