/** What servers ask of us on the wire, before 2026-07-28, and what they report. */
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

import { soon } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { rpc, text, toolOf, type Message } from '../testing/testHttp.ts';
import { newFolder, textOf, trial } from '../testing/testServers.ts';
import { sseTrial } from '../testing/testSse.ts';
import type { ServerRequest, Handlers, ServerLog } from './handlers.ts';

/** Its one tool asks what `question` says, and answers with what it was answered. */
async function curious(question: object, baton: object, handlers: Handlers, capabilities = {}) {
  let waiting: Message['id'];
  const server = await sseTrial(
    (message, peer) => {
      const { id, method, params, result, error } = message;
      if (method === 'tools/call' && toolOf(params) === 'ask') {
        waiting = id;
        peer.say({ jsonrpc: '2.0', id: 'question', ...question });
      } else if (id === 'question') peer.say(rpc(waiting, text(JSON.stringify(result ?? error))));
      else if (id !== undefined) peer.say(rpc(id, text(toolOf(params))));
    },
    { tools: {}, ...capabilities },
  );
  const root = newFolder();
  return { ...trial({ old: { ...server.entry, baton } }, { handlers, root }), server, root };
}

const answer = { role: 'assistant', content: { type: 'text', text: 'indeed' }, model: 'none', stopReason: 'endTurn' };

describe('completion/create, as seed 003 has it', () => {
  const params = {
    model: 'claude-3-5-sonnet',
    systemPrompt: 'You are a data analyst',
    messages: [{ role: 'user', content: 'Analyze this data...' }],
    maxTokens: 1_000,
  };

  test('is asked and answered in its own words, by the sampling handler', async () => {
    const seen: unknown[] = [];
    const usage = { inputTokens: 500, outputTokens: 200 };
    const sampling: Handlers['sampling'] = async (asked) => {
      seen.push(asked);
      return { ...answer, usage };
    };
    const { call } = await curious({ method: 'completion/create', params }, { sampling: 'allow' }, { sampling });
    expect(JSON.parse(textOf(await call('old', 'ask')))).toEqual({
      content: [{ type: 'text', text: 'indeed' }],
      model: 'none',
      stopReason: 'end_turn',
      usage,
    });
    expect(seen).toEqual([
      {
        systemPrompt: 'You are a data analyst',
        modelPreferences: { hints: [{ name: 'claude-3-5-sonnet' }] },
        messages: [{ role: 'user', content: { type: 'text', text: 'Analyze this data...' } }],
        maxTokens: 1_000,
      },
    ]);
  });

  test('is not known where sampling is not allowed', async () => {
    const { call } = await curious({ method: 'completion/create', params }, {}, { sampling: async () => answer });
    expect(JSON.parse(textOf(await call('old', 'ask')))).toMatchObject({ code: -32601 });
  });
});

const sampling = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 5 } };

describe('a request of the server', () => {
  test('tells who asks, for which runs, and whether a person is to agree', async () => {
    const asked: ServerRequest[] = [];
    const handlers: Handlers = {
      sampling: async (_, by) => {
        asked.push(by);
        return answer;
      },
    };
    const { call } = await curious(sampling, { sampling: 'ask' }, handlers);
    expect(textOf(await call('old', 'ask', {}, { runId: 'run-9' }))).toContain('indeed');
    expect(asked).toMatchObject([{ server: 'old', session: 'old#1', runs: ['run-9'], policy: 'ask' }]);
  });

  test('pauses the time limits of its call while Baton answers', async () => {
    const handlers: Handlers = { sampling: () => new Promise((resolve) => setTimeout(() => resolve(answer), 1_600)) };
    const { call } = await curious(sampling, { sampling: 'ask' }, handlers);
    const timeout = { idleMs: 1_500, totalMs: 1_500 };
    expect(textOf(await call('old', 'ask', {}, { timeout }))).toContain('indeed');
  });

  test('that we fail to answer is answered with an error, and the call goes on', async () => {
    const handlers: Handlers = { sampling: () => Promise.reject(new Error('no model today')) };
    const { call } = await curious(sampling, { sampling: 'allow' }, handlers);
    expect(JSON.parse(textOf(await call('old', 'ask')))).toMatchObject({ code: -32603, message: 'no model today' });
  });

  test('a ping is answered', async () => {
    const { call } = await curious({ method: 'ping' }, {}, {});
    expect(textOf(await call('old', 'ask'))).toBe('{}');
  });
});

describe('an address that a person is to open', () => {
  const legacy = {
    command: process.execPath,
    args: [fileURLToPath(new URL('../testing/matrix/modernServer.mjs', import.meta.url))],
  };
  const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
  const required = { url: 'https://example.com/', message: 'There.', errorPath: true };

  test('is done with when the server says so', async () => {
    const elicitation: Handlers['elicitation'] = async (_, { completed }) => {
      if (completed?.aborted === false) await once(completed, 'abort');
      return { action: 'accept' };
    };
    const { call } = trial({ it: { ...legacy, baton: { elicitation: 'ask' } } }, { handlers: { elicitation } });
    expect(textOf(await call('it', 'agree'))).toBe('accept');
  });

  test('and is not opened fails the request that wanted it, which did not run', async () => {
    const handlers: Handlers = { elicitation: async () => ({ action: 'decline' }) };
    const entry = { command: process.execPath, args: [everything], baton: { elicitation: 'ask' } };
    const { failure, catalogue } = trial({ it: entry }, { handlers });
    await soon(async () => {
      expect((await catalogue('it')).tools.map(({ name }) => name)).toContain('trigger-url-elicitation');
    });
    expect(await failure('it', 'trigger-url-elicitation', required)).toMatchObject({
      code: 'server-rejected',
      delivery: 'rejected',
      failure: { details: { code: -32042 } },
    });
  });

  test('again and again is given up after some rounds', async () => {
    let asked = 0;
    const elicitations = [{ url: 'https://example.com/', message: 'There.', elicitationId: 'e' }];
    const server = await sseTrial(({ id }, peer) => {
      if (id === undefined) return;
      const error = { code: -32042, message: 'Not yet.', data: { elicitations } };
      peer.say({ jsonrpc: '2.0', id, error });
    });
    const handlers: Handlers = { elicitation: async () => ({ action: 'accept', content: { asked: ++asked } }) };
    const { failure } = trial({ it: { ...server.entry, baton: { elicitation: 'ask' } } }, { handlers });
    expect(await failure('it', 'any')).toMatchObject({ code: 'server-rejected', delivery: 'rejected' });
    expect(asked).toBe(3);
  });
});

test('roots are the folders that the configuration names, and without any the server hears of none', async () => {
  const roots = { method: 'roots/list' };
  const { call, root } = await curious(roots, { roots: ['data'] }, {});
  expect(JSON.parse(textOf(await call('old', 'ask')))).toEqual({
    roots: [{ uri: `file://${root}/data`, name: 'data' }],
  });
  const other = await curious(roots, {}, {});
  expect(JSON.parse(textOf(await other.call('old', 'ask')))).toMatchObject({ code: -32601 });
});

describe('what a server reports', () => {
  const report = (data: unknown): object => ({
    method: 'notifications/message',
    params: { level: 'error', logger: 'db', data },
  });

  test('is asked for from the level that is configured on, and handed on cleaned', async () => {
    const logs: ServerLog[] = [];
    const handlers: Handlers = { log: (entry) => logs.push(entry) };
    const { call, server } = await curious({}, { logLevel: 'notice' }, handlers, { logging: {} });
    await call('old', 'echo');
    await soon(() =>
      expect(server.heard).toContainEqual(
        expect.objectContaining({
          method: 'logging/setLevel',
          params: expect.objectContaining({ level: 'notice' }) as object,
        }),
      ),
    );
    server.peers[0]?.say({ jsonrpc: '2.0', ...report('disk\u001b[31m full\u0007') });
    server.peers[0]?.say({ jsonrpc: '2.0', ...report({ free: 0 }) });
    await soon(() => expect(logs).toHaveLength(2));
    expect(logs).toEqual([
      { server: 'old', session: 'old#1', level: 'error', logger: 'db', message: 'disk full' },
      { server: 'old', session: 'old#1', level: 'error', logger: 'db', message: '{"free":0}' },
    ]);
  });

  test('in a flood is dropped', async () => {
    const logs: ServerLog[] = [];
    const { call, server } = await curious({}, {}, { log: (entry) => logs.push(entry) }, { logging: {} });
    await call('old', 'echo');
    for (let at = 0; at < 2_000; at++) server.peers[0]?.say({ jsonrpc: '2.0', ...report(at) });
    expect(textOf(await call('old', 'echo'))).toBe('echo');
    expect(logs.length).toBeLessThan(2_000);
  });

  test('is not asked for without a listener', async () => {
    const { call, server } = await curious({}, {}, {}, { logging: {} });
    await call('old', 'echo');
    await call('old', 'echo');
    expect(server.heard.map(({ method }) => method)).not.toContain('logging/setLevel');
  });
});
