/** How much one key may have: of runs that are not over, of items in a run, and of checks. */
import { standardHeaders } from '@baton/protocol';
import { listFirings } from '@baton/store';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type TestAnswer, type TestApp, openTestApp } from '../testing/testApp.ts';
import { startTestWorker } from '../testing/testWorker.ts';

const most = 2;
const secret = `whsec_${Buffer.from('a shared secret of ours').toString('base64')}`;
const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
const refusal = { status: 429, body: { type: 'urn:baton:problem:quota-exceeded' } };

let store: FreshStore;
let app: TestApp;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url, {
    parts: { runsMax: most, itemsMax: 5, rateLimits: { checksPerMinute: 3 } },
  });
  await app.ask('PUT /v1/secrets/HOOK', { json: { value: secret } });
  await app.deploy(`workflow: hello
on:
  - webhook: in
    secret: HOOK
  - schedule: "0 6 * * *"
    overlap: allow
  - tool: {}
steps:
  - set: { a: 1 }
`);
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const start = (key: string): Promise<TestAnswer> => app.ask('POST /v1/workflows/hello/runs', { key, json: {} });
const statuses = (answers: readonly TestAnswer[]): number[] =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);

describe('runs that are not over', () => {
  test('are as many as the settings say, however many are asked for at once, until one is over', async () => {
    const key = await app.newKey(['runs:write']);
    const answers = await Promise.all(Array.from({ length: 8 }, () => start(key)));
    expect(statuses(answers)).toEqual([202, 202, 429, 429, 429, 429, 429, 429]);
    const refused = await start(key);
    expect(refused).toMatchObject({ ...refusal, headers: { 'retry-after': '2' } });
    expect(refused.body['detail']).toMatch(/^2 runs of "test .*" are unfinished, the maximum for it\.$/);
    const worker = await startTestWorker(store.url, {});
    try {
      await expect.poll(async () => (await start(key)).status).toBe(202);
    } finally {
      await worker.stop();
    }
  });

  test('are counted of each key by itself, and a key may have a limit of its own', async () => {
    const key = await app.newKey(['runs:write'], { limits: { runs: 3 } });
    const answers = await Promise.all(Array.from({ length: 5 }, () => start(key)));
    expect(statuses(answers)).toEqual([202, 202, 202, 429, 429]);
  });

  test('of one another orchestrator took in, are counted too', async () => {
    const key = await app.newKey(['runs:write']);
    for (let at = 0; at < most; at += 1) expect((await start(key)).status).toBe(202);
    const other = await openTestApp(store, store.url, { parts: { runsMax: most } });
    expect(await other.ask('POST /v1/workflows/hello/runs', { key, json: {} })).toMatchObject(refusal);
    await other.close();
  });

  test('of a hook are limited, and the sender is told', async () => {
    const send = (id: string): Promise<TestAnswer> => {
      const signed = standardHeaders({ id, body: '{}', secret, nowMs: Date.now() });
      const headers = { 'content-type': 'application/json', ...signed };
      return app.ask('POST /v1/hooks/hello/in', { key: '', headers, payload: '{}' });
    };
    expect((await send('a')).status).toBe(202);
    expect((await send('b')).status).toBe(202);
    expect(await send('c')).toMatchObject(refusal);
    // What was taken in before is known.
    expect((await send('a')).status).toBe(202);
  });

  test('are limited over MCP too, and the model reads why', async () => {
    const key = await app.newKey(['runs:write'], { limits: { runs: 1 } });
    expect((await start(key)).status).toBe(202);
    const url = await app.listen();
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hello', arguments: {} } };
    const accept = 'application/json, text/event-stream';
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept };
    const begin = { ...call, method: 'initialize', params: { ...initialize } };
    const begun = await fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(begin) });
    await begun.text();
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
    const body = JSON.stringify(call);
    const answer = await fetch(`${url}/mcp`, { method: 'POST', headers: { ...headers, ...session }, body });
    const text = await answer.text();
    expect(text).toContain('"isError":true');
    expect(text).toMatch(/1 runs of .{1,40} are unfinished, the maximum for it\./);
  });

  test('of a schedule are limited, and its firing says why it was refused', async () => {
    const span = { from: '2026-03-28T00:00:00Z', to: '2026-03-31T00:00:00Z' };
    const done = await app.ask('POST /v1/schedules/hello.schedule-1/backfill', { json: span });
    expect(done.status).toBe(200);
    const outcomes = async () => {
      const firings = await listFirings(store, 'hello.schedule-1', 10);
      return firings.map(({ outcome }) => outcome).toSorted();
    };
    await expect.poll(outcomes).toEqual(['refused', 'started', 'started']);
  });
});

test('items of a run are as many as the settings or the key that asks say, with those of its child runs', async () => {
  const loop = '{ id: each, forEach: "${{ range(inputs.n) }}", as: i, steps: [{ set: { i: "${{ i }}" } }] }';
  const inputs = 'inputs: { n: { type: integer } }';
  const parent = '{ id: child, workflow: inner, with: { n: "${{ inputs.n }}" } }';
  await app.deploy(`workflow: inner\n${inputs}\nsteps:\n  - ${loop}\n`);
  await app.deploy(`workflow: outer\n${inputs}\nsteps:\n  - ${loop}\n  - ${parent}\n`);
  const worker = await startTestWorker(store.url, {});
  const ended = async (what: string, key: string, json: object): Promise<Record<string, unknown>> => {
    const { body } = await app.ask(what, { key, json });
    const look = (): Promise<TestAnswer> => app.ask(`GET /v1/runs/${String(body['id'])}`);
    await expect.poll(async () => (await look()).body['endedAt']).toBeDefined();
    return (await look()).body;
  };
  const few = await app.newKey(['runs:write'], { limits: { items: 3, runs: 9 } });
  const usual = await app.newKey(['runs:write'], { limits: { runs: 9 } });
  const runs = 'POST /v1/workflows/outer/runs';
  const refused = await ended(runs, few, { inputs: { n: 2 } });
  const message = 'forEach got 2 items; the run may have 1 more, and 1 in all.';
  expect(refused).toMatchObject({ status: 'failed', error: { code: 'child-failed' } });
  expect(JSON.stringify(refused['error'])).toContain(message);
  expect(await ended(runs, usual, { inputs: { n: 2 } })).toMatchObject({ status: 'succeeded' });
  expect(await ended(runs, usual, { inputs: { n: 4 } })).toMatchObject({ status: 'failed' });
  const again = `POST /v1/runs/${String(refused['id'])}/rerun`;
  expect(await ended(again, usual, {})).toMatchObject({ status: 'succeeded' });
  expect(await ended(again, few, {})).toMatchObject({ status: 'failed' });
  await worker.stop();
});

test('checks of workflows in a minute are as many as the settings or the key say', async () => {
  const check = (key: string): Promise<TestAnswer> =>
    app.ask('POST /v1/workflows/check', { key, headers: { 'content-type': 'application/yaml' }, payload: 'steps: []' });
  const inline = (key: string): Promise<TestAnswer> =>
    app.ask('POST /v1/runs', { key, json: { workflow: 'workflow: x\nsteps:\n  - set: { a: 1 }\n' } });
  const usual = await app.newKey(['runs:write']);
  for (let at = 0; at < 3; at += 1) expect((await check(usual)).status).toBe(200);
  const refused = await check(usual);
  expect(refused).toMatchObject({ status: 429, body: { type: 'urn:baton:problem:rate-limited' } });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(refused.body['detail']).toBe('More than 3 workflows were checked for this key in 1 m.');
  expect((await inline(usual)).status).toBe(429);
  const few = await app.newKey(['runs:write'], { limits: { checks: 1 } });
  expect((await inline(few)).status).toBe(202);
  expect((await check(few)).status).toBe(429);
  expect((await start(few)).status).toBe(202);
});
