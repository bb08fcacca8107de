/** What the page asks for beside single runs: figures, many runs at once, what holds triggers, what Baton runs on. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { standardHeaders } from '@baton/protocol';
import { type FreshStore, freshStore, toolsServer, soon } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { askOverMcp } from '../../testing/overMcp.ts';
import { type TestAnswer, type TestApp, openTestApp } from '../../testing/testApp.ts';
import { type TestWorker, startTestWorker } from '../../testing/testWorker.ts';

let folder: string;
let store: FreshStore;
let app: TestApp;
let worker: TestWorker;

const secret = `whsec_${Buffer.from('a shared secret of ours').toString('base64')}`;

const texts = [
  'workflow: good\non: [{ webhook: ci, secret: HOOK }]\nsteps:\n  - set: { a: 1 }\n',
  'workflow: bad\nsteps:\n  - { id: said, tool: tools/echo, effect: write, with: { message: hi } }\n  - fail: The 50% "valve" is stuck.\n',
  'workflow: waits\nsteps:\n  - ask: Well?\n',
];

const start = async (workflow: string): Promise<string> =>
  String((await app.ask(`POST /v1/workflows/${workflow}/runs`, { json: { inputs: {} } })).body['id']);

const statusOf = async (id: string): Promise<unknown> => (await app.ask(`GET /v1/runs/${id}`)).body['status'];

async function became(id: string, status: string): Promise<void> {
  const look = async (): Promise<void> => {
    const found = await statusOf(id);
    if (found !== status) throw new Error(`run ${id} is ${String(found)}, not ${status}`);
  };
  await soon(look);
}

const dataOf = ({ body }: TestAnswer): readonly Record<string, unknown>[] =>
  body['data'] as readonly Record<string, unknown>[];

const idsOf = (answer: TestAnswer): unknown[] => dataOf(answer).map(({ id }) => id);

let bad: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-page-answers-'));
  store = await freshStore();
  // The word is not in the command, which is a part of the message.
  const loud = { command: '/bin/sh', args: ['-c', 'read line; echo sal""ary >&2'] };
  const servers = { tools: { ...toolsServer(join(folder, 'ledger')) }, loud };
  app = await openTestApp(store, store.url, {
    servers,
    parts: { settings: [{ name: 'BATON_PORT', value: '4400', source: 'default', description: 'The port.' }] },
  });
  worker = await startTestWorker(store.url, servers);
  await app.ask('PUT /v1/secrets/HOOK', { json: { value: secret } });
  for (const text of texts) await app.deploy(text);
  bad = [await start('bad'), await start('bad')];
  await became(await start('good'), 'succeeded');
  for (const id of bad) await became(id, 'failed');
});

afterAll(async () => {
  await worker.stop();
  await app.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

describe('runs in numbers', () => {
  const span = (): string =>
    `from=${new Date(Date.now() - 3_600_000).toISOString()}&to=${new Date(Date.now() + 60_000).toISOString()}`;
  const countsIn = (answer: TestAnswer): Record<string, number> => {
    const sums: Record<string, number> = {};
    for (const { counts } of dataOf(answer))
      for (const [status, count] of Object.entries(counts as Record<string, number>))
        sums[status] = (sums[status] ?? 0) + count;
    return sums;
  };

  test('are counted over time, by status, of those that the filters name', async () => {
    const all = await app.ask(`GET /v1/runs/histogram?${span()}&buckets=12`);
    expect(dataOf(all)).toHaveLength(12);
    expect(countsIn(all)).toEqual({ succeeded: 1, failed: 2 });
    expect(countsIn(await app.ask(`GET /v1/runs/histogram?${span()}&workflow=good`))).toEqual({ succeeded: 1 });
    expect(countsIn(await app.ask(`GET /v1/runs/histogram?${span()}&text=valve`))).toEqual({ failed: 2 });
    const key = await app.newKey(['runs:read'], { workflows: ['good'] });
    expect(countsIn(await app.ask(`GET /v1/runs/histogram?${span()}`, { key }))).toEqual({ succeeded: 1 });
    expect(await app.ask('GET /v1/runs/histogram?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z')).toMatchObject({
      status: 422,
    });
  });

  test('are found by the text of their failure, and by the tools of their version', async () => {
    const newestFirst = bad.toReversed();
    expect(idsOf(await app.ask(`GET /v1/runs?text=${encodeURIComponent('50% "VALVE"')}`))).toEqual(newestFirst);
    expect(idsOf(await app.ask('GET /v1/runs?text=v_lve'))).toEqual([]);
    expect(idsOf(await app.ask('GET /v1/runs?server=tools'))).toEqual(newestFirst);
    expect(idsOf(await app.ask('GET /v1/runs?tool=echo'))).toEqual(newestFirst);
    expect(idsOf(await app.ask('GET /v1/runs?effect=read'))).toEqual(newestFirst);
    expect(idsOf(await app.ask('GET /v1/runs?effect=write'))).toEqual([]);
    for (const none of ['server=tool', 'tool=ech', 'server=tools&tool=cho', 'server=t.*s'])
      expect([none, idsOf(await app.ask(`GET /v1/runs?${none}`))]).toEqual([none, []]);
    const first = await app.ask('GET /v1/runs?text=valve&limit=1');
    expect(idsOf(first)).toEqual(newestFirst.slice(0, 1));
    expect(idsOf(await app.ask(`GET /v1/runs?text=valve&limit=1&cursor=${String(first.body['nextCursor'])}`))).toEqual(
      newestFirst.slice(1),
    );
  });

  test('of a workflow say how its last ones went', async () => {
    const { body } = await app.ask('GET /v1/workflows/bad/stats');
    expect(body).toMatchObject({ id: 'bad', counts: { failed: 2 }, p50Ms: expect.any(Number) });
    expect(body['runs']).toMatchObject(bad.toReversed().map((id) => ({ id, status: 'failed' })));
    expect((await app.ask('GET /v1/workflows/none/stats')).status).toBe(404);
  });

  test('of a server say how its tools did, and how each process sees it', async () => {
    const { body } = await app.ask('GET /v1/servers/tools/stats');
    expect(body).toMatchObject({
      name: 'tools',
      calls: 2,
      failed: 0,
      p95Ms: expect.any(Number),
      tools: [{ tool: 'echo', calls: 2, outcomes: { succeeded: 2 }, errors: {}, p95Ms: expect.any(Number) }],
    });
    const key = await app.newKey(['servers:read'], { workflows: ['good'] });
    expect((await app.ask('GET /v1/servers/tools/stats', { key })).body).toMatchObject({
      calls: 0,
      tools: [],
      processes: [],
    });
    const seen = async () => (await app.ask('GET /v1/servers/tools/stats')).body['processes'];
    await expect
      .poll(seen)
      .toMatchObject([
        { process: 'orchestrator' },
        { process: expect.stringContaining('-'), state: 'ready', breaker: { state: 'closed', failures: 0 } },
      ]);
  });
});

test('what a server wrote is shown to those who may read the runs of all workflows', async () => {
  const scopes = ['servers:read', 'servers:approve', 'workflows:write'] as const;
  const whole = await app.newKey([...scopes, 'runs:read']);
  const writing = await app.newKey([...scopes, 'runs:write']);
  const runless = await app.newKey(scopes);
  const limited = await app.newKey([...scopes, 'runs:read'], { workflows: ['good'] });
  const text = 'workflow: good\nsteps:\n  - { tool: loud/x }\n';
  const asking = { headers: { 'content-type': 'application/yaml' }, payload: text };
  const told = async (what: string, key: string, given: object): Promise<boolean> =>
    /salary|lastError/.test((await app.ask(what, { key, ...given })).text);
  expect((await app.ask('POST /v1/servers/loud/test')).status).toBe(503);
  for (const [what, given] of [
    ['GET /v1/servers', {}],
    ['GET /v1/servers/loud', {}],
    ['GET /v1/servers/loud/stats', {}],
    ['GET /v1/servers/loud/tools', {}],
    ['GET /v1/servers/loud/prompts', {}],
    ['GET /v1/servers/loud/resources', {}],
    ['POST /v1/servers/loud/test', {}],
    ['POST /v1/servers/loud/approve', { json: { preview: true } }],
    ['POST /v1/workflows/check?servers=true', asking],
  ] as const) {
    const keys = [whole, writing, runless, limited].map((key) => told(what, key, given));
    expect([what, ...(await Promise.all(keys))]).toEqual([what, true, true, false, false]);
  }
  const offered = (key: string) => askOverMcp(app, key, 'resources/read', { uri: 'baton://servers/loud' });
  expect(await offered(whole)).toContain('salary');
  expect(await offered(limited)).toContain('unreachable');
  expect(await offered(limited)).not.toContain('salary');
});

describe('many runs at once', () => {
  const filter = { workflow: 'bad' };

  test('are retried once their number was seen, with the writes that are made again', async () => {
    const preview = await app.ask('POST /v1/runs/retry', { json: { filter, preview: true } });
    // The write of both is kept: a retry goes on after it.
    expect(preview).toMatchObject({ status: 200, body: { count: 2, writes: 0 } });
    for (const expect_ of [1, 3])
      expect(await app.ask('POST /v1/runs/retry', { json: { filter, expect: expect_ } })).toMatchObject({
        status: 409,
      });
    expect(await app.ask('POST /v1/runs/retry', { json: { filter } })).toMatchObject({ status: 422 });
    const headers = { 'idempotency-key': 'once' };
    const done = await app.ask('POST /v1/runs/retry', { json: { filter, expect: 2 }, headers });
    expect(done.body).toMatchObject({ count: 2, done: 2, refused: [] });
    const retries = await app.ask('GET /v1/runs?trigger=retry');
    expect(idsOf(retries)).toHaveLength(2);
    for (const id of idsOf(retries)) await became(String(id), 'failed');
    expect((await app.ask('POST /v1/runs/retry', { json: { filter, expect: 2 }, headers })).status).toBe(409);
  });

  test('are cancelled, those that are not over and that the key reaches', async () => {
    const asking = [await start('waits'), await start('waits')];
    for (const id of asking) await became(id, 'waiting');
    const stranger = await app.newKey(['runs:write'], { workflows: ['good'] });
    const all = { filter: {}, preview: true };
    expect((await app.ask('POST /v1/runs/cancel', { json: all, key: stranger })).body).toMatchObject({ count: 0 });
    expect((await app.ask('POST /v1/runs/cancel', { json: all })).body).toEqual({ count: 2, writes: 0 });
    const finished = { filter: { status: ['succeeded'] }, preview: true };
    expect((await app.ask('POST /v1/runs/cancel', { json: finished })).body).toMatchObject({ count: 0 });
    const done = await app.ask('POST /v1/runs/cancel', { json: { filter: {}, expect: 2, reason: 'wrong' } });
    expect(done.body).toMatchObject({ count: 2, done: 2, refused: [] });
    for (const id of asking) await became(id, 'cancelled');
  });
});

describe('webhooks', () => {
  const send = (signedWith = secret, payload = '{"private":"body"}') => {
    const signed = standardHeaders({ id: randomUUID(), body: payload, secret: signedWith, nowMs: Date.now() });
    return app.ask('POST /v1/hooks/good/ci', {
      key: '',
      payload,
      headers: { 'content-type': 'application/json', ...signed },
    });
  };
  const hooks = async () => (await app.ask('GET /v1/hooks?workflow=good')).body['data'];

  test('are listed with what came, refused ones too, and without its body', async () => {
    const { body } = await send();
    // Each is noted after its answer.
    await expect.poll(hooks).toMatchObject([{ deliveries: [{ outcome: 'started' }] }]);
    const other = `whsec_${Buffer.from('a secret of another one').toString('base64')}`;
    expect((await send(other)).status).toBe(401);
    await expect.poll(hooks).toMatchObject([
      {
        path: '/v1/hooks/good/ci',
        scheme: 'standard',
        secret: 'HOOK',
        deliveries: [
          { outcome: 'refused', reason: expect.stringContaining('is not the signature of this body') },
          { outcome: 'started', runId: body['id'] },
        ],
      },
    ]);
    // Within a second, but for another reason: it is not thinned out with the one before.
    expect((await send(secret, '{"private":')).status).toBe(400);
    await expect.poll(hooks).toMatchObject([{ deliveries: [{ reason: expect.stringContaining('JSON') }, {}, {}] }]);
    expect(JSON.stringify(await hooks())).not.toContain('private');
    const key = await app.newKey(['runs:read'], { workflows: ['bad'] });
    expect(dataOf(await app.ask('GET /v1/hooks', { key }))).toEqual([]);
  });

  test('start nothing of a workflow that is paused; a person does', async () => {
    expect(await app.ask('POST /v1/workflows/good/pause')).toMatchObject({
      status: 200,
      body: { id: 'good', pausedAt: expect.any(String), pausedBy: expect.stringContaining('test (') },
    });
    expect(dataOf(await app.ask('GET /v1/workflows')).find(({ id }) => id === 'good')).toHaveProperty('pausedAt');
    expect(await send()).toMatchObject({ status: 409, body: { type: 'urn:baton:problem:workflow-paused' } });
    expect((await app.ask('POST /v1/workflows/good/runs', { json: { inputs: {} } })).status).toBe(202);
    expect((await app.ask('POST /v1/workflows/good/resume')).body).not.toHaveProperty('pausedAt');
    expect((await send()).status).toBe(202);
    const actions = dataOf(await app.ask('GET /v1/audit?target=good')).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['workflow.paused', 'workflow.resumed']));
    expect((await app.ask('POST /v1/workflows/none/pause')).status).toBe(404);
  });
});

describe('what Baton runs on', () => {
  test('settings have their source', async () => {
    expect(dataOf(await app.ask('GET /v1/settings'))).toMatchObject([{ name: 'BATON_PORT', source: 'default' }]);
  });

  test('a worker that is drained takes no more runs, and another one does', async () => {
    const [only] = dataOf(await app.ask('GET /v1/workers'));
    expect(only).toMatchObject({ status: 'working', runs: 0, concurrency: 50 });
    expect(await app.ask('POST /v1/workers/none/drain')).toMatchObject({ status: 404 });
    const drained = await app.ask(`POST /v1/workers/${String(only?.['id'])}/drain`);
    expect(drained.body).toMatchObject({ status: 'draining', drainBy: expect.stringContaining('test (') });
    const isDraining = async (): Promise<unknown> =>
      (await store.pool.query('select is_draining from worker')).rows.map((row) => row as object);
    await expect.poll(isDraining).toEqual([{ is_draining: true }]);
    const id = await start('good');
    const queue = async () => (await app.ask('GET /v1/queue')).body;
    expect(await queue()).toMatchObject({ queued: 1, running: 0, waiting: 0, oldestAt: expect.any(String) });
    const other = await startTestWorker(store.url, {});
    await became(id, 'succeeded');
    expect(await queue()).toEqual({ queued: 0, running: 0, waiting: 0, delayed: 0 });
    await other.stop();
  });
});
