/**
 * HTTP with server-sent events, as 2024-11-05 has it: against a server by hand that does it right, or wrong on purpose.
 */
import type { ServerResponse } from 'node:http';

import { soon } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { event, introduction, listening, messageOf, rpc, text, toolOf, type Message } from '../testing/testHttp.ts';
import { textOf, trial } from '../testing/testServers.ts';

interface SseServer {
  readonly url: string;
  readonly streams: Map<string, ServerResponse>;
  readonly calls: string[];
  readonly opened: () => number;
}

/** Answers on the stream by the tool's name; `endpoint` is what the stream begins with. */
async function sseServer(
  endpoint = (session: string) => `/messages?session=${session}`,
  sessionOf = (count: number) => `s${count}`,
): Promise<SseServer> {
  const streams = new Map<string, ServerResponse>();
  const calls: string[] = [];
  let opened = 0;
  const answerTo = ({ id, method, params }: Message): unknown => {
    if (method === 'initialize') return rpc(id, introduction('2024-11-05'));
    if (method === 'tools/call') return rpc(id, text(toolOf(params)));
    return rpc(id, method === 'tools/list' ? { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } : {});
  };
  const base = await listening((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    if (request.method === 'GET' && pathname === '/sse') {
      // As frameworks do that mount the path with a slash.
      response.writeHead(307, { location: '/sse/' }).end();
    } else if (request.method === 'GET') {
      const session = sessionOf(++opened);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: ${endpoint(session)}\n\n`);
      streams.set(session, response);
    } else {
      void messageOf(request).then((message) => {
        const stream = streams.get(searchParams.get('session') ?? '');
        const name = message.method === 'tools/call' ? toolOf(message.params) : '';
        if (name !== '') calls.push(name);
        if (name === 'refused') {
          response.writeHead(503, { 'retry-after': '3' }).end('not now');
          return;
        }
        if (stream === undefined || stream.destroyed) {
          response.writeHead(404).end('no such session');
          return;
        }
        response.writeHead(202).end('Accepted');
        if (name === 'cut') stream.destroy();
        else if (name === 'batch') {
          const note = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } };
          stream.write(event([note, answerTo(message)]));
        } else if (message.id !== undefined && name !== 'hang') {
          stream.write(event(answerTo(message), 'event: message\n'));
        }
      });
    }
  });
  return { url: `${base}/sse`, streams, calls, opened: () => opened };
}

const connected = async (server: SseServer) =>
  trial({ old: { type: 'sse', url: server.url } }, { limits: { graceMs: 100, pingMs: 5_000, openMs: 10_000 } });

describe('a server of 2024-11-05 over HTTP with events', () => {
  test('is asked without being probed, and its revision is told', async () => {
    const server = await sseServer();
    const { call, catalogue, status } = await connected(server);
    expect(textOf(await call('old', 'echo'))).toBe('echo');
    expect((await catalogue('old')).tools.map(({ name }) => name)).toEqual(['echo']);
    expect(status()).toMatchObject([{ type: 'sse', state: 'ready', protocolVersion: '2024-11-05', era: 'legacy' }]);
    expect(server.opened()).toBe(1);
  });

  test.each(['73e982a4-0aea', '-9007199254740993', '1152921504606846977'])(
    'a session called %s, which could be a number, is posted to by that name',
    async (name) => {
      const { call } = await connected(await sseServer(undefined, () => name));
      expect(textOf(await call('old', 'echo'))).toBe('echo');
    },
  );

  test('answers in a batch are answers', async () => {
    const { call } = await connected(await sseServer());
    expect(textOf(await call('old', 'batch'))).toBe('batch');
  });

  test('the stream breaks under a call: its outcome is unknown, and the next call has its own stream', async () => {
    const server = await sseServer();
    const { call, failure } = await connected(server);
    expect(await failure('old', 'cut')).toMatchObject({ code: 'connection-lost', delivery: 'unknown' });
    expect(textOf(await call('old', 'echo'))).toBe('echo');
    expect(server.calls).toEqual(['cut', 'echo']);
    expect(server.opened()).toBe(2);
  });

  test('a session that it forgot is opened anew, and the call is made once', async () => {
    const server = await sseServer();
    const { call } = await connected(server);
    await call('old', 'echo');
    server.streams.clear();
    expect(textOf(await call('old', 'echo'))).toBe('echo');
    expect(server.opened()).toBe(2);
  });

  test('a call that it refuses by its status did not run', async () => {
    const { failure } = await connected(await sseServer());
    expect(await failure('old', 'refused')).toMatchObject({
      code: 'server-overloaded',
      delivery: 'rejected',
      retryAfterMs: 3_000,
    });
  });

  test('silence ends by the time limit, and closing leaves no stream open', async () => {
    const server = await sseServer();
    const { call, failure, close } = await connected(server);
    await call('old', 'echo');
    expect(await failure('old', 'hang', {}, { timeout: { totalMs: 50 } })).toMatchObject({
      code: 'timeout',
      delivery: 'unknown',
    });
    await close();
    await soon(() => expect([...server.streams.values()].every(({ destroyed }) => destroyed)).toBe(true));
  });
});

test('an address of an old server without a type is found out', async () => {
  const server = await sseServer();
  const { call, status } = trial({ old: { url: server.url } });
  expect(textOf(await call('old', 'echo'))).toBe('echo');
  expect(status()).toMatchObject([{ protocolVersion: '2024-11-05' }]);
});

test('an address with neither transport is reported with its answer to Streamable HTTP', async () => {
  const url = await listening((_, response) => response.writeHead(404).end('nothing here'));
  const { failure } = trial({ old: { url } });
  expect((await failure('old', 'echo')).message).toMatch(/answered 404 to "initialize": .*nothing here/);
});

test.each([
  ['elsewhere', 'http://127.0.0.2:1/messages', /endpoint elsewhere/],
  ['nowhere', 'http://[', /Invalid URL/],
])('a stream that sends messages %s is not trusted', async (_, endpoint, why) => {
  const { failure } = await connected(await sseServer(() => endpoint));
  const failed = await failure('old', 'echo');
  expect(failed).toMatchObject({ code: 'server-unreachable', delivery: 'unsent' });
  expect(failed.message).toMatch(why);
});

test('a stream that never says where to post is given up, and says so', async () => {
  const open = new Set<ServerResponse>();
  const url = await listening((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': one moment\n\n');
    open.add(response);
    response.on('close', () => open.delete(response));
  });
  const { failure } = trial({ old: { type: 'sse', url } }, { limits: { openMs: 300 } });
  const failed = await failure('old', 'echo');
  expect(failed).toMatchObject({ code: 'server-unreachable', delivery: 'unsent' });
  expect(failed.message).toMatch(/did not say on a stream of events where to post messages within 300ms/);
  await soon(() => expect(open.size).toBe(0));
});

test('a page where the stream should be is named', async () => {
  const url = await listening((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'));
  const { failure } = trial({ old: { type: 'sse', url } });
  expect((await failure('old', 'echo')).message).toContain('no stream of events');
});
