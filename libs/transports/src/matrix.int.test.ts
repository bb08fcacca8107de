/** Every feature, over every way to a server, with every way to share its sessions: the real servers, nothing scripted. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { freePort } from '@baton/boot';
import type { JsonObject } from '@baton/language';
import { freshDatabase } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import type { Handlers, ServerLog } from './handlers.ts';
import type { ResourceUpdate } from './subscriptions.ts';
import { asked, newFolder, soon, textOf, trial } from './trial.ts';
import type { Trial } from './trial.ts';
import { modernTrial } from './trialModern.ts';

const resolved = (path: string): string => createRequire(import.meta.url).resolve(`@modelcontextprotocol/${path}`);
const stdio = (server: string, ...args: string[]) => ({
  command: process.execPath,
  args: [resolved(`server-${server}/dist/index.js`), ...args],
});

const ways = ['stdio', 'http', 'sse'] as const;
const scopes = ['shared', 'run', 'call'] as const;

const children: ChildProcess[] = [];
const urls = { http: '', sse: '' };

async function started(mode: 'streamableHttp' | 'sse'): Promise<string> {
  const port = await freePort();
  const env = { PATH: process.env['PATH'], PORT: String(port) };
  const argv = [resolved('server-everything/dist/index.js'), mode];
  const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  children.push(child);
  // Read to its end: the server writes there as long as it lives.
  await new Promise<void>((resolve) => {
    child.stderr.on('data', (chunk) => (/listening|running/i.test(String(chunk)) ? resolve() : undefined));
  });
  return `http://127.0.0.1:${port}/${mode === 'sse' ? 'sse' : 'mcp'}`;
}

beforeAll(async () => {
  [urls.http, urls.sse] = await Promise.all([started('streamableHttp'), started('sse')]);
});

afterAll(async () => {
  for (const child of children) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

const entryOf = (way: (typeof ways)[number]): object =>
  way === 'stdio' ? stdio('everything') : { type: way, url: urls[way] };

/** Tools that need a capability are added when it has been seen that we have it. */
async function offering(servers: Trial, tool: string): Promise<void> {
  await soon(async () => {
    const { tools } = await servers.catalogue('every');
    expect(tools.map(({ name }) => name)).toContain(tool);
  });
}

describe.each(ways)('server-everything over %s', (way) => {
  const every = (baton: object = {}, handlers: Handlers = {}): Trial =>
    trial({ every: { ...entryOf(way), baton } }, { handlers });

  test('tools, prompts, resources, templates, and what kinds of content there are', async () => {
    const { call, calls } = every();
    expect(textOf(await call('every', 'echo', { message: 'hi' }))).toBe('Echo: hi');
    const kinds = async (tool: string, args: JsonObject = {}): Promise<unknown[]> => {
      const { content } = (await call('every', tool, args)).result as { content: { type: string }[] };
      return [...new Set(content.map(({ type }) => type))].toSorted();
    };
    expect(await kinds('get-tiny-image')).toEqual(['image', 'text']);
    expect(await kinds('get-resource-links', { count: 2 })).toEqual(['resource_link', 'text']);
    expect(await kinds('get-resource-reference', { resourceType: 'Text', resourceId: 1 })).toEqual([
      'resource',
      'text',
    ]);
    const prompt = { server: 'every', prompt: 'args-prompt', arguments: { city: 'Paris' } };
    expect(JSON.stringify((await calls.getPrompt(prompt, asked())).result)).toContain('Paris');
    const uri = 'demo://resource/dynamic/text/{id}';
    const read = await calls.readResource({ server: 'every', uri, arguments: { id: 7 } }, asked());
    expect(read.result['contents']).toMatchObject([{ uri: 'demo://resource/dynamic/text/7' }]);
  });

  test('structured content that fits its schema', async () => {
    const { calls, catalogue } = every();
    const definition = (await catalogue('every')).tools.find(({ name }) => name === 'get-structured-content');
    const schemas = { outputSchema: definition?.outputSchema ?? {} };
    const call = { server: 'every', tool: 'get-structured-content', arguments: { location: 'Chicago' } };
    const { result } = await calls.callTool({ ...call, definition: schemas }, asked());
    expect(result['structuredContent']).toMatchObject({ temperature: expect.any(Number) as number });
    const wrong = { outputSchema: { type: 'object', required: ['humidity', 'pressure'] } };
    await expect(calls.callTool({ ...call, definition: wrong }, asked())).rejects.toMatchObject({
      code: 'invalid-result',
    });
  });

  test('completion, and an argument that hangs on another', async () => {
    const { complete } = every();
    const of = { prompt: 'completable-prompt' };
    const first = await complete('every', { of, argument: 'department', value: 'S' });
    expect(first.values).toEqual(['Sales', 'Support']);
    const others = { department: 'Sales' };
    expect((await complete('every', { of, argument: 'name', value: '', others })).values).toContain('David');
  });

  test('resources that are subscribed to, and logs from the level that is configured on', async () => {
    const logs: ServerLog[] = [];
    const { subscribe, call } = every({ logLevel: 'debug' }, { log: (entry) => logs.push(entry) });
    const updates: ResourceUpdate[] = [];
    const uri = 'demo://resource/dynamic/text/1';
    const { close } = await subscribe('every', uri, (update) => updates.push(update));
    await call('every', 'toggle-subscriber-updates');
    await soon(() => expect(updates).toContainEqual({ uri, isGap: false }));
    await soon(() => expect(logs.map(({ message }) => message).join()).toContain('Subscribe'));
    close();
  });

  test('sampling, elicitation and roots', async () => {
    const sampled = { role: 'assistant', content: { type: 'text', text: 'indeed' }, model: 'm', stopReason: 'endTurn' };
    const handlers: Handlers = {
      sampling: async () => sampled,
      elicitation: async () => ({ action: 'accept', content: { name: 'Ada' } }),
    };
    const servers = every({ sampling: 'allow', elicitation: 'ask', roots: ['data'] }, handlers);
    await offering(servers, 'trigger-elicitation-request');
    await offering(servers, 'get-roots-list');
    const said = await servers.call('every', 'trigger-sampling-request', { prompt: 'x', maxTokens: 5 });
    expect(textOf(said)).toContain('indeed');
    expect(JSON.stringify((await servers.call('every', 'trigger-elicitation-request')).result)).toContain('Ada');
    expect(textOf(await servers.call('every', 'get-roots-list'))).toContain('/data');
  });

  test('progress, and a call that is stopped', async () => {
    const { call, failure } = every();
    const heard: unknown[] = [];
    const args = { duration: 0.1, steps: 2 };
    await call('every', 'trigger-long-running-operation', args, { onProgress: (one) => heard.push(one) });
    expect(heard).toEqual([1, 2].map((progress) => ({ progress, total: 2 })));
    const stop = new AbortController();
    const context = { signal: stop.signal, onProgress: (): void => stop.abort('enough') };
    const failed = await failure('every', 'trigger-long-running-operation', { duration: 60, steps: 600 }, context);
    expect(failed).toMatchObject({ code: 'cancelled' });
    expect(textOf(await call('every', 'echo', { message: 'still here' }))).toBe('Echo: still here');
  });

  test.each(scopes)('sessions of scope %s', async (scope) => {
    const { call, calls, status } = every({ scope });
    const runs = ['a', 'b', 'a', 'b'];
    const all = await Promise.all(runs.map((runId) => call('every', 'echo', { message: runId }, { runId })));
    expect(all.map(textOf)).toEqual(runs.map((runId) => `Echo: ${runId}`));
    const sessions = new Set(all.map(({ session }) => session?.session));
    expect(sessions.size).toBe({ shared: 1, run: 2, call: 4 }[scope]);
    for (const runId of runs) calls.release(runId);
    const left = scope === 'shared' ? 1 : 0;
    await soon(() => expect(status()).toMatchObject([{ sessions: { open: left } }]));
  });
});

describe.each(scopes)('over stdio, with sessions of scope %s', (scope) => {
  test('server-filesystem reads what its roots allow', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'a.txt'), 'hello');
    const { call, failure } = trial({ files: { ...stdio('filesystem', folder), baton: { scope } } });
    expect(textOf(await call('files', 'read_text_file', { path: join(folder, 'a.txt') }))).toBe('hello');
    expect(await failure('files', 'read_text_file', { path: '/etc/passwd' })).toMatchObject({ code: 'tool-failed' });
  });

  test('server-memory keeps in its file what it was told in another run', async () => {
    const env = { MEMORY_FILE_PATH: join(newFolder(), 'memory.json') };
    const { call, calls } = trial({ memory: { ...stdio('memory'), env, baton: { scope } } });
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote the first program'] }];
    await call('memory', 'create_entities', { entities }, { runId: 'one' });
    calls.release('one');
    const { result } = await call('memory', 'read_graph', {}, { runId: 'two' });
    expect(result['structuredContent']).toMatchObject({ entities: [{ name: 'Ada' }] });
  });
});

test('server-postgres, a server of 2024-11-05', async () => {
  const database = await freshDatabase('empty');
  onTestFinished(() => database.drop());
  const { call, failure, catalogue, status, close } = trial({ postgres: stdio('postgres', database.url) });
  expect(textOf(await call('postgres', 'query', { sql: 'select 40 + 2 as n' }))).toContain('42');
  expect(await failure('postgres', 'query', { sql: 'selekt' })).toMatchObject({ delivery: 'answered' });
  expect(await catalogue('postgres')).toMatchObject({ tools: [{ name: 'query' }], resources: [], problems: [] });
  expect(status()).toMatchObject([{ protocolVersion: '2024-11-05', era: 'legacy' }]);
  await close();
});

describe('a server of 2026-07-28', () => {
  const elicitation: Handlers['elicitation'] = async () => ({ action: 'accept', content: { name: 'Ada' } });
  const script = createRequire(import.meta.url).resolve('./modernServer.mjs');

  test.each([
    ['auto', '2026-07-28', 'modern'],
    ['2026-07-28', '2026-07-28', 'modern'],
    ['legacy', '2025-11-25', 'legacy'],
  ])('over stdio, asked for %s, speaks %s, and is answered what it asks', async (protocol, protocolVersion, era) => {
    const entry = { command: process.execPath, args: [script], baton: { protocol, elicitation: 'ask' } };
    const { call, status } = trial({ modern: entry }, { handlers: { elicitation } });
    expect(textOf(await call('modern', 'echo', { message: 'hi' }))).toBe('Echo: hi');
    expect(textOf(await call('modern', 'ask'))).toContain('Ada');
    expect(status()).toMatchObject([{ protocolVersion, era }]);
  });

  test.each(scopes)('over Streamable HTTP, with sessions of scope %s', async (scope) => {
    const { url } = await modernTrial();
    const { call, status } = trial({ modern: { url, baton: { scope } } });
    const all = await Promise.all(['a', 'b'].map((message) => call('modern', 'echo', { message }, { runId: message })));
    expect(all.map(textOf)).toEqual(['a', 'b']);
    expect(status()).toMatchObject([{ era: 'modern' }]);
  });

  test('over plain HTTP, as what it is to older clients: it has no way to ask', async () => {
    const { url } = await modernTrial();
    const entry = { type: 'http-plain', url, baton: { elicitation: 'ask' } };
    const { call, failure, catalogue, status } = trial({ modern: entry }, { handlers: { elicitation } });
    expect(textOf(await call('modern', 'echo', { message: 'hi' }))).toBe('hi');
    expect((await catalogue('modern')).tools.length).toBeGreaterThan(3);
    expect(status()).toMatchObject([{ type: 'http-plain', protocolVersion: '2025-11-25' }]);
    expect(await failure('modern', 'insatiable')).toMatchObject({ code: 'tool-failed' });
  });
});
