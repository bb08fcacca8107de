/** What the seed documents have servers and clients say, word by word; docs/seeds.md says where the rest is shown. */
import { checkResult } from '@baton/protocol';
import type { Progress } from '@baton/runner';
import { callContext, soon } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import type { Handlers, ServerLog } from '../session/handlers.ts';
import { rpc, text, toolOf } from '../testing/testHttp.ts';
import { textOf, trial, type TestServers } from '../testing/testServers.ts';
import { sseTrial, type Peer, type SseTrial } from '../testing/testSse.ts';

type Answers = Readonly<Record<string, unknown>>;

/** A server that answers each method, or each tool, with what stands here: a result, or `{ error }`. */
async function saying(answers: Answers, handlers: Handlers = {}, baton: object = {}): Promise<TestServers & SseTrial> {
  const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {}, experimental: {} };
  const server = await sseTrial(({ id, method = '', params }, peer: Peer) => {
    if (id === undefined) return;
    const answer = answers[method === 'tools/call' ? toolOf(params) : method];
    const isError = typeof answer === 'object' && answer !== null && 'error' in answer;
    peer.say(isError ? { jsonrpc: '2.0', id, ...answer } : rpc(id, answer ?? {}));
  }, capabilities);
  return { ...trial({ seed: { ...server.entry, baton } }, { handlers }), ...server };
}

const failing = (code: number, message: string, data?: unknown) => ({
  error: { code, message, ...(data === undefined ? {} : { data }) },
});

describe('errors', () => {
  test.each([
    [-32700, 'Parse error', 'server-rejected', 'rejected'],
    [-32600, 'Invalid Request', 'server-rejected', 'rejected'],
    [-32601, 'Method not found', 'server-rejected', 'rejected'],
    [-32602, 'Invalid params', 'invalid-arguments', 'rejected'],
    [-32603, 'Internal error', 'server-error', 'answered'],
    [-32002, 'Resource not found', 'tool-not-found', 'rejected'],
    [-32000, 'Server error', 'server-error', 'answered'],
    [-32099, 'Server error', 'server-error', 'answered'],
  ])('%i is %s: its code, its words and its data are kept', async (code, message, means, delivery) => {
    const data = { details: "Parameter 'expression' cannot be empty" };
    const { failure } = await saying({ calculate: failing(code, message, data) });
    const failed = await failure('seed', 'calculate', { expression: '' });
    expect(failed).toMatchObject({ code: means, delivery, failure: { details: { code, message, data } } });
  });

  test('-32002 of resources/read stays what it is', async () => {
    const { calls } = await saying({ 'resources/read': failing(-32002, 'Resource not found', { uri: 'file:///x' }) });
    await expect(
      calls.readResource({ server: 'seed', uri: 'file:///x', arguments: {} }, callContext()),
    ).rejects.toMatchObject({
      code: 'tool-not-found',
      failure: { details: { code: -32002, data: { uri: 'file:///x' } } },
    });
  });

  test('a tool that ran and failed says so in its result', async () => {
    const failedText = 'Error: Database connection failed - Connection timeout after 30s';
    const { failure } = await saying({ query: { content: [{ type: 'text', text: failedText }], isError: true } });
    expect(await failure('seed', 'query')).toMatchObject({
      code: 'tool-failed',
      delivery: 'answered',
      message: failedText,
    });
  });
});

describe('what a result may hold', () => {
  const annotations = { audience: ['user', 'assistant'], priority: 0.8 };
  test.each([
    ['text', { type: 'text', text: 'content here', annotations }],
    ['an image', { type: 'image', data: 'aGk=', mimeType: 'image/png', annotations }],
    ['audio', { type: 'audio', data: 'aGk=', mimeType: 'audio/wav', annotations }],
    ['an embedded text', { type: 'resource', resource: { uri: 'file:///a', text: 'x' }, annotations }],
    ['embedded bytes', { type: 'resource', resource: { uri: 'file:///a', blob: 'aGk=', mimeType: 'image/png' } }],
    ['a link', { type: 'resource_link', uri: 'file:///a', name: 'a' }],
  ])('%s, handed on as it came', async (_, block) => {
    const { call } = await saying({ look: { content: [block], isError: false, _meta: {} } });
    expect((await call('seed', 'look')).result).toMatchObject({ content: [block] });
  });

  test('a resource that is named and not embedded is the link that it looks like', async () => {
    const flat = { type: 'resource', uri: 'file:///data/report.pdf', mimeType: 'application/pdf' };
    const { call } = await saying({ report: { content: [flat] } });
    expect((await call('seed', 'report')).result['content']).toEqual([
      { ...flat, type: 'resource_link', name: 'file:///data/report.pdf' },
    ]);
  });

  test('no blocks at all are no mistake', async () => {
    const { call } = await saying({ quiet: { content: [], structuredContent: {}, isError: false } });
    expect((await call('seed', 'quiet')).result).toEqual({ content: [], isError: false });
  });

  test('resources in text and in bytes', async () => {
    const contents = [
      { uri: 'file:///schemas/users.json', mimeType: 'application/json', text: '{"type": "object"}' },
      { uri: 'file:///logo.png', mimeType: 'image/png', blob: 'aGk=' },
    ];
    const { calls } = await saying({ 'resources/read': { contents } });
    const uri = 'file:///schemas/users.json';
    expect((await calls.readResource({ server: 'seed', uri, arguments: {} }, callContext())).result).toEqual({
      contents,
    });
  });

  test('prompts, whose arguments are texts', async () => {
    const messages = [{ role: 'user', content: { type: 'text', text: 'Analyze the following code' } }];
    const { calls, heard } = await saying({ 'prompts/get': { description: 'x', messages } });
    const args = { language: 'python', severity_level: 3 };
    const got = await calls.getPrompt({ server: 'seed', prompt: 'analyze_code', arguments: args }, callContext());
    expect(got.result).toMatchObject({ messages });
    expect(heard.find(({ method }) => method === 'prompts/get')?.params).toMatchObject({
      name: 'analyze_code',
      arguments: { language: 'python', severity_level: '3' },
    });
  });
});

test('the handshake: initialize with a revision, capabilities and a name; its answer; initialized; and only then calls', async () => {
  const { call, heard, status } = await saying({ echo: text('x') });
  await call('seed', 'echo');
  const [initialize, initialized, first] = heard;
  expect(initialize).toMatchObject({
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'baton' } },
  });
  expect(initialized).toMatchObject({ method: 'notifications/initialized' });
  expect(first).toMatchObject({ method: 'tools/call' });
  // It had offered less, and that is what is spoken.
  expect(status()).toMatchObject([{ protocolVersion: '2024-11-05', server: { name: 'by hand' } }]);
});

test('an unknown revision ends the handshake, and is named', async () => {
  const server = await sseTrial(() => {});
  const { failure } = trial({ seed: { ...server.entry, baton: { protocol: '2025-06-18' } } });
  const failed = await failure('seed', 'echo');
  expect(failed).toMatchObject({ code: 'server-unreachable', delivery: 'unsent' });
  expect(failed.message).toContain('2024-11-05');
  expect(server.heard[0]?.params).toMatchObject({ protocolVersion: '2025-06-18' });
});

test('what a server offers: tools with their annotations, resources, templates and prompts', async () => {
  const hints = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
  const inputSchema = {
    type: 'object',
    properties: { query: { type: 'string' }, limit: { type: 'integer', default: 10 } },
    required: ['query'],
  };
  const annotations = { title: 'Human readable title', ...hints };
  const described = { description: 'What this contains', mimeType: 'text/plain' };
  const { catalogue } = await saying({
    'tools/list': { tools: [{ name: 'query_database', description: 'x', inputSchema, annotations }], nextCursor: '' },
    'resources/list': { resources: [{ name: 'r', uri: 'file://path', size: 1024, ...described }] },
    'resources/templates/list': { resourceTemplates: [{ name: 't', uriTemplate: 'file://path/{id}', ...described }] },
    'prompts/list': { prompts: [{ name: 'p', arguments: [{ name: 'language', required: true }] }], nextCursor: '' },
  });
  expect(await catalogue('seed')).toMatchObject({
    tools: [{ name: 'query_database', inputSchema, annotations }],
    resources: [{ uri: 'file://path', size: 1024, mimeType: 'text/plain' }],
    resourceTemplates: [{ uriTemplate: 'file://path/{id}' }],
    prompts: [{ name: 'p', arguments: [{ name: 'language', required: true }] }],
    problems: [],
  });
});

describe('pages', () => {
  test('a cursor is given back as it came, and an empty one is the end', async () => {
    const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
    const server = await sseTrial(({ id, params }, peer) => {
      const isSecond = params?.['cursor'] === 'next_cursor_string';
      peer.say(rpc(id, { tools: [tool(isSecond ? 'b' : 'a')], nextCursor: isSecond ? '' : 'next_cursor_string' }));
    });
    const { catalogue } = trial({ seed: server.entry });
    expect((await catalogue('seed')).tools.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(server.heard.filter(({ method }) => method === 'tools/list')).toHaveLength(2);
  });

  test('without end are read as far as may be, and that is told', async () => {
    let pages = 0;
    const server = await sseTrial(({ id }, peer) => {
      if (id !== undefined) peer.say(rpc(id, { tools: [], nextCursor: `${++pages}` }));
    });
    const { catalogue } = trial({ seed: server.entry });
    expect((await catalogue('seed')).problems).toEqual([expect.stringContaining('the rest was not read')]);
    expect(pages).toBe(64);
  });
});

describe('progress', () => {
  async function progressing(progress: (token: unknown) => object) {
    const server = await sseTrial(({ id, params }, peer) => {
      if (id === undefined) return;
      const token = (params?.['_meta'] as { progressToken?: unknown } | undefined)?.progressToken;
      peer.say({ jsonrpc: '2.0', method: 'notifications/progress', params: progress(token) });
      peer.say(rpc(id, text('done')));
    });
    const { call } = trial({ seed: server.entry });
    const heard: Progress[] = [];
    await call('seed', 'generate_report', { stream: true }, { onProgress: (one) => heard.push(one) });
    return { heard, server };
  }

  test.each([
    [
      'with its token',
      (progressToken: unknown) => ({ progressToken, progress: 50, total: 100, message: 'Processing...' }),
    ],
    [
      'with its token as text',
      (token: unknown) => ({
        progressToken: String(token as number),
        progress: 50,
        total: 100,
        message: 'Processing...',
      }),
    ],
    ['without one', () => ({ progress: 50, total: 100, message: 'Processing...' })],
  ])('%s is heard', async (_, progress) => {
    const { heard } = await progressing(progress);
    expect(heard).toEqual([{ progress: 50, total: 100, message: 'Processing...' }]);
  });

  test('is asked for in every call, and `stream` is an argument like any other', async () => {
    const { server } = await progressing(() => ({ progress: 0.5 }));
    expect(server.heard.find(({ method }) => method === 'tools/call')?.params).toMatchObject({
      name: 'generate_report',
      arguments: { stream: true },
      _meta: { progressToken: expect.any(Number) as number },
    });
  });
});

test('a call that is cancelled is named to the server, with the reason', async () => {
  const { entry, heard } = await sseTrial(() => {});
  const { failure } = trial({ seed: entry }, { limits: { graceMs: 50 } });
  const stop = new AbortController();
  const failed = failure('seed', 'hang', {}, { signal: stop.signal });
  await soon(() => expect(heard.at(-1)?.method).toBe('tools/call'));
  const requestId = heard.at(-1)?.id;
  stop.abort('User cancelled');
  expect(await failed).toMatchObject({ code: 'cancelled', delivery: 'unknown' });
  const params = { requestId, reason: 'User cancelled' };
  await soon(() => expect(heard.at(-1)).toMatchObject({ method: 'notifications/cancelled', params }));
});

describe('requests of the server', () => {
  test('with parameters by position are refused by code', async () => {
    const { call, peers, heard } = await saying({ echo: text('x') });
    await call('seed', 'echo');
    peers[0]?.say({ jsonrpc: '2.0', id: 'a', method: 'roots/list', params: [1] });
    await soon(() => expect(heard.at(-1)).toMatchObject({ id: 'a', error: { code: -32600 } }));
  });

  test('of an unknown method are refused by code', async () => {
    const { call, peers, heard } = await saying({ echo: text('x') });
    await call('seed', 'echo');
    peers[0]?.say({ jsonrpc: '2.0', id: 'b', method: 'no/such' });
    await soon(() => expect(heard.at(-1)).toMatchObject({ id: 'b', error: { code: -32601 } }));
  });

  test('for sampling, with all that they may say', async () => {
    const seen: unknown[] = [];
    const result = {
      role: 'assistant',
      content: { type: 'text', text: 'LLM response' },
      model: 'm',
      stopReason: 'endTurn',
    };
    const sampling: Handlers['sampling'] = async (params) => {
      seen.push(params);
      return result;
    };
    const { call, peers, heard } = await saying({ echo: text('x') }, { sampling }, { sampling: 'allow' });
    await call('seed', 'echo');
    const params = {
      messages: [{ role: 'user', content: { type: 'text', text: 'x' } }],
      maxTokens: 1000,
      systemPrompt: 'You are a helpful assistant',
      temperature: 0.7,
      stopSequences: ['END'],
      modelPreferences: {
        costPriority: 0.3,
        speedPriority: 0.5,
        intelligencePriority: 0.9,
        hints: [{ name: 'claude-3-5-sonnet' }],
      },
      metadata: {},
      includeContext: 'thisServer',
    };
    peers[0]?.say({ jsonrpc: '2.0', id: 100, method: 'sampling/createMessage', params });
    await soon(() => expect(heard.at(-1)).toMatchObject({ id: 100, result }));
    expect(seen).toEqual([params]);
    expect(heard[0]?.params).toMatchObject({ capabilities: { sampling: {} } });
  });
});

test('what is logged is heard at every level', async () => {
  const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
  const logs: ServerLog[] = [];
  const { call, peers } = await saying({ echo: text('x') }, { log: (entry) => logs.push(entry) });
  await call('seed', 'echo');
  for (const level of levels) {
    const params = { level, data: 'Log message', logger: 'server.component' };
    peers[0]?.say({ jsonrpc: '2.0', method: 'notifications/message', params });
  }
  await soon(() => expect(logs.map(({ level }) => level)).toEqual(levels));
});

test('an answer is told from a page by its form, not by what else it holds', async () => {
  const { call } = await saying({ odd: { ...text('x'), more: [1, { two: null }] } });
  expect(textOf(await call('seed', 'odd'))).toBe('x');
  expect(checkResult('tools/call', 'x')).toHaveProperty('problem');
});
