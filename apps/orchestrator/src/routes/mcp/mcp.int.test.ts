/** `/mcp`: its sessions and their keys. `tests/mcpFace.test.ts` shows what clients see. */
import { cachedPlans } from '@baton/store';
import type { FreshStore } from '@baton/testing';
import { freshStore } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { WorkflowTools } from '../../mcp/workflowTools.ts';
import type { TestApp } from '../../testing/testApp.ts';
import { openTestApp } from '../../testing/testApp.ts';

let store: FreshStore;
let app: TestApp;
let url: string;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url);
  url = await app.listen();
});

afterAll(async () => {
  await app.close();
  await store.close();
});

const post = (key: string, message: object, session?: string): Promise<Response> =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });

async function open(key: string): Promise<string> {
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const answer = await post(key, { method: 'initialize', params });
  await answer.text();
  return answer.headers.get('mcp-session-id') ?? '';
}

/** Descriptions of tools by their names, in order. */
async function toolsOf(key: string, session: string): Promise<readonly (readonly [string, string])[]> {
  const text = await (await post(key, { method: 'tools/list' }, session)).text();
  const { result } = JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text) as {
    result: { tools: { name: string; description: string }[] };
  };
  return result.tools.map(({ name, description }) => [name, description] as const);
}

async function statusOf(key: string, session: string): Promise<number> {
  const answer = await post(key, { method: 'ping' }, session);
  await answer.text();
  return answer.status;
}

test('a key that opens ever more sessions loses those that it uses least, and no other key loses any', async () => {
  const [greedy, other] = [await app.newKey(['runs:read']), await app.newKey(['runs:read'])];
  const theirs = await open(other);
  const [first, second] = [await open(greedy), await open(greedy)];
  for (let opened = 2; opened < 200; opened += 1) await open(greedy);
  expect(await statusOf(greedy, first)).toBe(200);
  await open(greedy);
  expect(await statusOf(greedy, second)).toBe(404);
  expect(await statusOf(greedy, first)).toBe(200);
  expect(await statusOf(other, theirs)).toBe(200);
  expect(await statusOf(greedy, theirs)).toBe(404);
}, 120_000);

test('a key that listens fifty times is told to close one; what it calls is served, and so are others', async () => {
  const [greedy, other] = [await app.newKey(['runs:read']), await app.newKey(['runs:read'])];
  const gone = new AbortController();
  const listen = async (key: string, signal = gone.signal): Promise<Response> => {
    const session = { 'mcp-session-id': await open(key), 'mcp-protocol-version': '2025-11-25' };
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream', ...session };
    return fetch(`${url}/mcp`, { headers, signal });
  };
  const last = new AbortController();
  const listening = [await listen(greedy, last.signal)];
  while (listening.length < 50) listening.push(await listen(greedy));
  expect(new Set(listening.map(({ status }) => status))).toEqual(new Set([200]));
  const params = { notifications: { toolsListChanged: true } };
  for (const refused of [await listen(greedy), await post(greedy, { method: 'subscriptions/listen', params })]) {
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ type: 'urn:baton:problem:quota-exceeded' });
  }
  expect(await statusOf(greedy, await open(greedy))).toBe(200);
  expect((await listen(other)).status).toBe(200);
  last.abort();
  await expect.poll(async () => (await listen(greedy)).status).toBe(200);
  gone.abort();
});

test('of two workflows with one tool name from an older Baton, the older one keeps it', async () => {
  const tool = (workflow: string, name: string): string =>
    `workflow: ${workflow}\non: [{ tool: { name: ${name} } }]\nsteps: [{ set: { a: 1 } }]\n`;
  for (const [workflow, name] of [
    ['z-elder', 'pay'],
    ['a-younger', 'pay_too'],
  ] as const) {
    expect((await app.deploy(tool(workflow, name))).status).toBe(201);
    await store.pool.query(`update workflow set tool = 'pay', tool_since = $2 where id = $1`, [
      workflow,
      workflow === 'z-elder' ? '2020-01-01' : '2021-01-01',
    ]);
  }
  const key = await app.newKey(['runs:write']);
  const pay = (await toolsOf(key, await open(key))).filter(([name]) => name.startsWith('pay'));
  expect(pay).toEqual([['pay', 'Runs the workflow z-elder.']]);
  const tools = new WorkflowTools(store, cachedPlans(store));
  await expect(tools.find({ workflows: undefined }, 'pay')).resolves.toMatchObject({ workflow: 'z-elder' });
});
