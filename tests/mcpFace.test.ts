/** `/mcp` as clients of both eras see it. Keys and sessions: apps/orchestrator/src/routes/mcp. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '@baton/boot';
import { appFile, readLedger, toolsServer } from '@baton/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { Installation } from './installation.ts';
import { answerTests, answerWorkflows } from './mcpFaceAnswers.ts';
import { adminKey, authorization, mcpClients } from './mcpFaceClients.ts';
import { questionTests } from './mcpFaceQuestions.ts';
import { workflows } from './mcpFaceWorkflows.ts';

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const every = { command: process.execPath, args: [everything], baton: { elicitation: 'ask' } };

let baton: Installation;
const folder = mkdtempSync(join(tmpdir(), 'baton-face-'));
const ledger = join(folder, 'ledger');

beforeAll(async () => {
  const port = await freePort();
  const self = { type: 'http', url: `http://127.0.0.1:${port}/mcp`, headers: { Authorization: authorization } };
  baton = await Installation.start({
    servers: { work: toolsServer(ledger), every, self: { ...self, baton: { concurrency: 64 } } },
    env: { BATON_ADMIN_KEY: adminKey, BATON_PORT: String(port) },
  });
  for (const text of [...workflows, ...answerWorkflows]) await baton.deploy(text);
});

afterAll(async () => {
  await baton.stop();
  rmSync(folder, { recursive: true });
});

describe.each([
  ['before 2026-07-28', 'legacy'],
  ['of 2026-07-28', 'auto'],
] as const)('a client %s', (_, mode) => {
  const clients = mcpClients(mode, () => baton.url);
  const { connect, subscribed } = clients;

  test('finds workflows that are offered as tools, with schemas, and with hints from what their steps do', async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['greet', 'run_workflow', 'get_run', 'answer_question']));
    expect(names).not.toContain('hidden');
    // `cry_wolf` is spelled as the names of Baton's own tools are.
    const [, own = ''] = /^Every tool but these is a workflow: ([^.]+)\./.exec(client.getInstructions() ?? '') ?? [];
    const others = names.filter((name) => !own.split(', ').includes(name));
    expect(others.toSorted()).toEqual([
      'agree',
      'approve',
      'cry_wolf',
      'ensures',
      'greet',
      'loop',
      'named',
      'rates',
      'slow',
    ]);
    expect(tools.find(({ name }) => name === 'greet')).toMatchObject({
      title: 'Greet',
      inputSchema: { properties: { name: { type: 'string' } }, required: ['name'] },
      description: 'Greet. Calls work/echo.',
      outputSchema: { properties: { greeting: { type: 'string' } } },
      annotations: { readOnlyHint: true },
    });
    expect(tools.find(({ name }) => name === 'approve')?.annotations).toMatchObject({ destructiveHint: true });
    expect(tools.find(({ name }) => name === 'run_workflow')?.annotations).toMatchObject({ destructiveHint: true });
    await client.close();
  });

  test('calls one: progress, the outputs, and a link to the run', async () => {
    const client = await connect();
    const told: { progress: number; total?: number | undefined }[] = [];
    const onprogress = (one: { progress: number; total?: number | undefined }): void => void told.push(one);
    const result = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } }, { onprogress });
    expect(result).toMatchObject({ structuredContent: { greeting: 'Hello Ada' } });
    expect(told.length).toBeGreaterThan(0);
    expect(told.every(({ progress, total }) => total === 1 && progress <= total)).toBe(true);
    const link = result.content.find((one) => one.type === 'resource_link');
    const { contents } = await client.readResource({ uri: link?.uri ?? '' });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({
      status: 'succeeded',
      trigger: { kind: 'mcp' },
    });
    await client.close();
  });

  test('is told where to look on after a run without outputs', async () => {
    const client = await connect();
    const { content, structuredContent } = await client.callTool({
      name: 'run_workflow',
      arguments: { workflow: 'hidden' },
    });
    const link = content.find((one) => one.type === 'resource_link');
    const id = String(link?.uri).replace('run://', '');
    const next = `The run succeeded, without outputs. What its steps did: get_run with { "id": "${id}" }.`;
    expect(structuredContent).toEqual({ run: { id, status: 'succeeded' }, outputs: {}, next });
    expect(content).toContainEqual({ type: 'text', text: next });
    await client.close();
  });

  test('is told what is wrong with its arguments, as a result that a model can read', async () => {
    const client = await connect();
    const result = await client.callTool({ name: 'greet', arguments: { nmae: 'Ada' } });
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('name') as string }] });
    await expect(client.callTool({ name: 'greeet', arguments: {} })).rejects.toThrow('greeet');
    await client.close();
  });

  test('is told by code what it asked wrongly, and by data what of it', async () => {
    const client = await connect();
    const wrong = { code: -32602 };
    await expect(client.callTool({ name: 'nothing' })).rejects.toMatchObject({ ...wrong, data: { name: 'nothing' } });
    const uri = 'run://nothing';
    await expect(client.readResource({ uri })).rejects.toMatchObject({ ...wrong, data: { uri } });
    await client.close();
  });

  questionTests(clients, () => baton);
  answerTests(clients);

  test('that sends a start again with its key has one run; with other inputs it is refused', async () => {
    const client = await connect();
    const idempotencyKey = `face-${mode}`;
    const start = (name: string) => client.callTool({ name: 'greet', arguments: { name }, _meta: { idempotencyKey } });
    const [first, again] = [await start('Ada'), await start('Ada')];
    expect(again).toEqual(first);
    expect(await start('Eve')).toMatchObject({ isError: true });
    // Baton itself says which attempt of a step calls.
    const attempt = () =>
      client.callTool({ name: 'greet', arguments: { name: 'Bo' }, _meta: { 'baton/attempt': `${mode}/greet#1` } });
    expect(await attempt()).toEqual(await attempt());
    await client.close();
  });

  test('hears that a run has changed, and reads what it is now', async () => {
    const client = await connect();
    const ended = Promise.withResolvers<string>();
    client.setNotificationHandler('notifications/resources/updated', async ({ params: { uri } }) => {
      const { contents } = await client.readResource({ uri });
      const { status } = JSON.parse((contents[0] as { text: string }).text) as { status: string };
      if (status === 'cancelled') ended.resolve(uri);
    });
    const id = await baton.start('slow');
    const uri = `run://${id}`;
    const unknown = 'run://019a3185-0000-7000-8000-00000000abcd';
    expect(await subscribed(client, [uri, unknown])).toEqual([uri]);
    await baton.api('POST', `/v1/runs/${id}/cancel`);
    expect(await ended.promise).toBe(uri);
    await client.close();
  });

  test('that cancels its call cancels the run, down to the call in flight', async () => {
    const client = await connect();
    const before = readLedger(ledger).filter(({ cancelled }) => cancelled !== undefined).length;
    const leave = new AbortController();
    const call = client.callTool(
      { name: 'slow', arguments: {} },
      { signal: leave.signal, onprogress: () => leave.abort() },
    );
    await expect(call).rejects.toThrow(/abort/i);
    const { body } = await baton.api('GET', '/v1/runs?workflow=slow&limit=1');
    const [run] = body['data'] as { id: string }[];
    expect((await baton.ended(run?.id ?? '')).status).toBe('cancelled');
    expect(readLedger(ledger).filter(({ cancelled }) => cancelled !== undefined).length).toBe(before + 1);
    await client.close();
  });
});

test.each([
  ['no JSON', '{', -32700],
  ['parameters by position', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}', -32600],
  ['no message', '{"jsonrpc":"2.0","id":1}', -32600],
  ['another protocol', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
  ['a call before the handshake', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', -32600],
])('%s is answered by its code', async (_, body, code) => {
  const answer = await fetch(`${baton.url}/mcp`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body,
  });
  const text = await answer.text();
  expect(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)).toMatchObject({ jsonrpc: '2.0', error: { code } });
});

test('a task is there for the key that began it, and for no other', async () => {
  const scopes = ['runs:read', 'runs:write'];
  const { body: other } = await baton.api('POST', '/v1/keys', { name: 'other', scopes });
  const ask = async (key: string, method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    };
    const answer = await fetch(`${baton.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': String(params['name'] ?? params['taskId']),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
    });
    const text = await answer.text();
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
  };
  const begun = await ask(adminKey, 'tools/call', { name: 'slow', arguments: {} });
  expect(begun).toMatchObject({ result: { resultType: 'task', status: 'working' } });
  const { taskId } = (begun as { result: { taskId: string } }).result;
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
    expect(await ask(String(other['key']), method, { taskId })).toMatchObject({ error: { code: -32602 } });
  await ask(adminKey, 'tasks/cancel', { taskId });
  expect((await baton.ended(taskId)).status).toBe('cancelled');
  expect(await ask(adminKey, 'tasks/get', { taskId })).toMatchObject({ result: { status: 'cancelled' } });
});

test('a client whose key is limited finds its own workflows, and learns of no others', async () => {
  const wanted = { name: 'limited', scopes: ['runs:read', 'runs:write'], workflows: ['greet'] };
  const { body } = await baton.api('POST', '/v1/keys', wanted);
  const client = new Client({ name: 'test', version: '1' }, {});
  const headers = { authorization: `Bearer ${String(body['key'])}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${baton.url}/mcp`), { requestInit: { headers } }));
  const names = (await client.listTools()).tools.map(({ name }) => name).filter((name) => !name.includes('_'));
  expect(names).toEqual(['greet']);
  const textOf = async (name: string, given: Record<string, unknown>): Promise<string> =>
    JSON.stringify((await client.callTool({ name, arguments: given })).content);
  expect(await textOf('list_workflows', {})).not.toContain('approve');
  const told = async (workflow: string): Promise<string> =>
    (await textOf('run_workflow', { workflow })).replaceAll(workflow, 'it');
  expect(await told('hidden')).toBe(await told('absent'));
  const id = await baton.start('approve');
  expect(await textOf('get_run', { id })).toContain('There is no run');
  await expect(client.callTool({ name: 'approve', arguments: {} })).rejects.toThrow('There is no tool');
  await client.close();
});

test('a client that can only start a command has it all over stdio', async () => {
  const env = { PATH: process.env['PATH'] ?? '', BATON_URL: baton.url, BATON_API_KEY: adminKey };
  const transport = new StdioClientTransport({ command: process.execPath, args: [appFile('cli'), 'mcp'], env });
  const client = new Client({ name: 'test', version: '1' }, {});
  await client.connect(transport);
  const result = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } });
  expect(result).toMatchObject({ structuredContent: { greeting: 'Hello Ada' } });
  // What the edge refuses is the error of that call, and not of the connection.
  const greeted = (name: string): Promise<unknown> => client.callTool({ name: 'greet', arguments: { name } });
  expect(await greeted('a\n\0b')).toMatchObject({
    isError: true,
    content: [{ text: '/name: A text holds a NUL in line 2, column 1.' }],
  });
  const large = greeted('a'.repeat(5 * 1024 * 1024));
  await expect(large).rejects.toMatchObject({ code: -32_600, message: expect.stringContaining('bytes') });
  expect(await greeted('Eve')).toMatchObject({ structuredContent: { greeting: 'Hello Eve' } });
  await client.close();
});

test('workflows that call each other through MCP are stopped by their depth', async () => {
  const id = await baton.start('loop');
  const run = await baton.ended(id);
  expect(run).toMatchObject({ status: 'failed' });
  const { body } = await baton.api('GET', '/v1/runs?workflow=loop&limit=100');
  const runs = body['data'] as { error?: { message: string } }[];
  expect(runs.length).toBeLessThan(20);
  expect(runs[0]?.error?.message).toContain('nested');
});
