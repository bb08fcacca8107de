/** What an answer is held to, and how a tool wants to be called. */
import { MissedTurnError } from '@baton/runner';
import { callContext } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { json, listening, messageOf, rpc, toolOf } from '../testing/testHttp.ts';
import { textOf, trial } from '../testing/testServers.ts';
import { sseTrial } from '../testing/testSse.ts';

describe('structured content', () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const definition = { outputSchema };

  async function answering(structuredContent: unknown) {
    const server = await sseTrial(({ id, method }, peer) => {
      const tools = [{ name: 'declares', inputSchema: { type: 'object' }, outputSchema }];
      if (method === 'tools/list') peer.say(rpc(id, { tools }));
      else if (id !== undefined) peer.say(rpc(id, { content: [{ type: 'text', text: 'x' }], structuredContent }));
    });
    const { calls, catalogue } = trial({ old: server.entry });
    const call = (tool: string, more = {}) =>
      calls.callTool({ server: 'old', tool, arguments: {}, ...more }, callContext()).then(({ result }) => result);
    return { call, catalogue };
  }

  test('that fits what the workflow was checked with is an answer', async () => {
    const { call } = await answering({ n: 1 });
    expect(await call('declares', { definition })).toMatchObject({ structuredContent: { n: 1 } });
  });

  test.each([[undefined], [{}], [{ n: 'x' }]])('that does not, such as %o, is none', async (content) => {
    const { call } = await answering(content);
    await expect(call('declares', { definition })).rejects.toMatchObject({
      code: 'invalid-result',
      delivery: 'answered',
    });
  });

  test('{} counts as no content, unless the tool declares an output schema', async () => {
    const { call, catalogue } = await answering({});
    expect(await call('other')).not.toHaveProperty('structuredContent');
    await catalogue('old');
    expect(await call('declares')).toHaveProperty('structuredContent', {});
  });
});

describe('arguments that do not fit what the server lists', () => {
  async function listing() {
    const called: unknown[] = [];
    const inputSchema = { type: 'object', properties: { n: { type: 'number' } } };
    const server = await sseTrial(
      ({ id, method, params }, peer) => {
        if (id === undefined) return;
        if (method === 'tools/list') return peer.say(rpc(id, { tools: [{ name: 'add', inputSchema }] }));
        if (method === 'prompts/list') {
          return peer.say(rpc(id, { prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }] }));
        }
        called.push(params);
        peer.say(rpc(id, { content: [], messages: [] }));
      },
      { tools: {}, prompts: {} },
    );
    return { ...trial({ old: server.entry }), called };
  }
  const unsent = { code: 'invalid-arguments', delivery: 'unsent' };

  test('are not sent to a tool that no version pins, once the list is known', async () => {
    const { calls, catalogue, called } = await listing();
    const add = (n: unknown) =>
      calls.callTool({ server: 'old', tool: 'add', arguments: { n } as { n: string } }, callContext());
    await catalogue('old');
    await expect(add('x')).rejects.toMatchObject(unsent);
    await add(1);
    expect(called).toMatchObject([{ arguments: { n: 1 } }]);
  });

  test('and a call whose turn has passed are not sent, and the session goes on', async () => {
    const { calls, called } = await listing();
    const add = (n: number, awaitTurn: () => Promise<void>) =>
      calls.callTool({ server: 'old', tool: 'add', arguments: { n } }, callContext({ awaitTurn }));
    await expect(add(1, () => Promise.reject(new MissedTurnError('old')))).rejects.toThrow(MissedTurnError);
    await add(2, () => Promise.resolve());
    expect(called).toMatchObject([{ arguments: { n: 2 } }]);
  });

  test('are not sent to a prompt', async () => {
    const { calls, called } = await listing();
    const greet = (args: Readonly<Record<string, string>>) =>
      calls.getPrompt({ server: 'old', prompt: 'greet', arguments: args }, callContext());
    await expect(greet({})).rejects.toMatchObject({
      ...unsent,
      message: expect.stringContaining('old/greet') as string,
    });
    await expect(greet({ who: 'ada', whom: 'eve' })).rejects.toMatchObject(unsent);
    await greet({ who: 'ada' });
    expect(called).toMatchObject([{ name: 'greet', arguments: { who: 'ada' } }]);
  });
});

describe('arguments that are to be headers', () => {
  const schemaOf = (header: string) => ({
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': header } },
  });

  /** Wants its header as `wanted` says; its catalogue names it so after it was read `stale` times. */
  async function routed(wanted: string, stale = 0) {
    const seen: (string | undefined)[] = [];
    let lists = 0;
    const base = await listening((request, response) => {
      void messageOf(request).then(({ id, method, params }) => {
        const complete = (result: object): void => json(response, rpc(id, { resultType: 'complete', ...result }));
        const fresh = { ttlMs: 60_000, cacheScope: 'private' };
        if (method === 'server/discover') {
          complete({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...fresh });
        } else if (method === 'tools/list') {
          const name = lists++ < stale ? 'Old' : wanted;
          const broken = { name: 'broken', inputSchema: schemaOf('no name') };
          complete({ tools: [{ name: 'route', inputSchema: schemaOf(name) }, broken], ...fresh });
        } else {
          const got = request.headers[`mcp-param-${wanted.toLowerCase()}`];
          seen.push(typeof got === 'string' ? got : undefined);
          const error = { code: -32020, message: 'Header mismatch' };
          if (got === undefined) json(response, { jsonrpc: '2.0', id, error }, 400);
          else complete({ content: [{ type: 'text', text: toolOf(params) }] });
        }
      });
    });
    return { ...trial({ modern: { url: `${base}/mcp` } }), seen };
  }

  test('are sent as the catalogue says, and a tool that declares them wrongly is left out', async () => {
    const { call, catalogue, seen } = await routed('Region');
    const { tools, problems } = await catalogue('modern');
    expect(tools.map(({ name }) => name)).toEqual(['route']);
    expect(problems).toEqual([expect.stringContaining('"broken": x-mcp-header')]);
    await call('modern', 'route', { region: 'eu' });
    expect(seen).toEqual(['eu']);
  });

  test('a server that misses one is read again, and called once more: it did not run', async () => {
    const { call, catalogue, seen } = await routed('Zone', 1);
    await catalogue('modern');
    expect(textOf(await call('modern', 'route', { region: 'eu' }))).toBe('route');
    expect(seen).toEqual([undefined, 'eu']);
  });

  test('without a catalogue the server says so, and it is read then', async () => {
    const { call, seen } = await routed('Region');
    expect(textOf(await call('modern', 'route', { region: 'eu' }))).toBe('route');
    expect(seen).toEqual([undefined, 'eu']);
  });

  test('the schema that the workflow was checked with goes before', async () => {
    const { calls, seen } = await routed('Region');
    const definition = { inputSchema: schemaOf('Region') };
    await calls.callTool({ server: 'modern', tool: 'route', arguments: { region: 'eu' }, definition }, callContext());
    expect(seen).toEqual(['eu']);
  });
});

describe('completion', () => {
  const values = Array.from({ length: 150 }, (_, at) => `value ${at}`);

  async function completing(capabilities: object, answer: object) {
    const server = await sseTrial(
      ({ id }, peer) => {
        if (id !== undefined) peer.say({ jsonrpc: '2.0', id, ...answer });
      },
      { prompts: {}, ...capabilities },
    );
    return { ...trial({ old: server.entry }), heard: server.heard };
  }

  test('sends the known arguments, and returns at most a hundred values', async () => {
    const { complete, heard } = await completing(
      { completions: {} },
      { result: { completion: { values, total: 150 } } },
    );
    const of = { prompt: 'greet' };
    const found = await complete('old', { of, argument: 'name', value: 'v', others: { language: 'de' } });
    expect(found).toEqual({ values: values.slice(0, 100), total: 150, hasMore: true });
    expect(heard.find(({ method }) => method === 'completion/complete')?.params).toMatchObject({
      ref: { type: 'ref/prompt', name: 'greet' },
      argument: { name: 'name', value: 'v' },
      context: { arguments: { language: 'de' } },
    });
  });

  test('a server of the first revision that knows none completes nothing', async () => {
    const { complete } = await completing({}, { error: { code: -32601, message: 'Method not found' } });
    const of = { uriTemplate: 'file:///{path}' };
    expect(await complete('old', { of, argument: 'path', value: '' })).toEqual({ values: [], hasMore: false });
  });
});
