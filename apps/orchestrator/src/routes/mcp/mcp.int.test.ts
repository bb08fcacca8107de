/** `/mcp`: its sessions and their keys. `tests/mcpFace.test.ts` shows what clients see. */
import { cachedPlans } from '@baton/store';
import { type FreshStore, freshStore } from '@baton/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { WorkflowTools } from '../../mcp/workflowTools.ts';
import { type TestApp, openTestApp } from '../../testing/testApp.ts';

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

test('A key that opens ever more sessions uses each of them on, and no other key has its sessions', async () => {
  const [greedy, other] = [await app.newKey(['runs:read']), await app.newKey(['runs:read'])];
  const theirs = await open(other);
  const [first, second] = [await open(greedy), await open(greedy)];
  for (let opened = 2; opened < 200; opened += 1) await open(greedy);
  expect(await statusOf(greedy, first)).toBe(200);
  await open(greedy);
  // Its server was given up, and begins anew.
  expect(await statusOf(greedy, second)).toBe(200);
  expect(await statusOf(greedy, first)).toBe(200);
  expect(await statusOf(other, theirs)).toBe(200);
  expect(await statusOf(greedy, theirs)).toBe(404);
}, 120_000);

test('A session of a client of a revision before 2026-07-28 goes on at each orchestrator, also after they were restarted', async () => {
  const key = await app.newKey(['runs:read', 'runs:write']);
  expect((await app.deploy('workflow: spread\non: [{ tool: {} }]\nsteps: [{ set: { a: 1 } }]\n')).status).toBe(201);
  const open = async (): Promise<{ readonly app: TestApp; readonly url: string }> => {
    const opened = await openTestApp(store, store.url);
    return { app: opened, url: await opened.listen() };
  };
  const orchestrators = [await open(), await open()];
  onTestFinished(async () => void (await Promise.all(orchestrators.map((one) => one.app.close()))));
  let requests = 0;
  const client = new Client({ name: 'agent', version: '1' }, { capabilities: { elicitation: { form: {} } } });
  onTestFinished(() => client.close());
  const balanced: typeof fetch = (where, options) => {
    const { pathname } = new URL(where instanceof Request ? where.url : where);
    requests += 1;
    return fetch(new URL(pathname, orchestrators[requests % orchestrators.length]?.url), options);
  };
  const transport = new StreamableHTTPClientTransport(new URL('http://balancer/mcp'), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    fetch: balanced,
  });
  await client.connect(transport);
  const session = transport.sessionId ?? '';
  const namesOf = async (): Promise<readonly string[]> => (await client.listTools()).tools.map(({ name }) => name);
  for (let n = 0; n < 4; n += 1) expect(await namesOf()).toContain('spread');
  const restarted = [await open(), await open()];
  for (const old of orchestrators.splice(0, 2, ...restarted)) await old.app.close();
  for (let n = 0; n < 4; n += 1) {
    expect(await client.callTool({ name: 'list_workflows', arguments: {} })).not.toMatchObject({ isError: true });
  }
  expect(transport.sessionId).toBe(session);
  const ended = orchestrators[(requests + 1) % 2]?.url;
  await transport.terminateSession();
  const headers = { authorization: `Bearer ${key}`, 'mcp-session-id': session, accept: 'text/event-stream' };
  expect((await fetch(`${ended}/mcp`, { headers })).status).toBe(404);
});

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
  await expect(
    tools.find({ id: 'k', name: 'k', by: 'k', scopes: new Set(['runs:write']) }, 'pay'),
  ).resolves.toMatchObject({ workflow: 'z-elder' });
});
