/**
 * Servers that say something else than they are asked before there is a session: that is said at once, and nothing
 * waits.
 */
import type { ServerResponse } from 'node:http';

import { brokenServer, toolsServer, soon } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { event, introduction, json, listening, messageOf, rpc, text, type Message } from '../testing/testHttp.ts';
import { newLedger, textOf, trial } from '../testing/testServers.ts';

/** Longer than a test may take: a test that waits for it fails. */
const limits = { openMs: 600_000 };
const eventStream = { 'content-type': 'text/event-stream' };
const notice = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } };

/** As fast as it is taken, for ever. */
function pour(response: ServerResponse, what: string): void {
  const text = what.repeat(100);
  const more = (): void => {
    while (!response.destroyed && response.write(text));
  };
  response.on('drain', more);
  more();
}

/** An address for each way over HTTP; `introduce` answers `initialize`, on a stream of events or with a body. */
async function introducing(introduce: (response: ServerResponse, request: Message) => void) {
  let stream: ServerResponse | undefined;
  const open = new Set<ServerResponse>();
  const base = await listening((request, response) => {
    open.add(response);
    response.on('close', () => open.delete(response));
    if (request.method === 'GET' && request.url === '/sse') {
      stream = response.writeHead(200, eventStream);
      stream.write('event: endpoint\ndata: /messages\n\n');
    } else if (request.method !== 'POST') response.writeHead(405).end();
    else {
      void messageOf(request).then((message) => {
        const { id, method } = message;
        const isSse = request.url === '/messages';
        if (isSse) response.writeHead(202).end();
        if (method === 'server/discover') response.writeHead(400).end('no such method');
        else if (method === 'initialize')
          introduce((isSse ? stream : undefined) ?? response.writeHead(200, eventStream), message);
        else if (isSse) stream?.write(id === undefined ? '' : event(rpc(id, text('hello'))));
        else if (id === undefined) response.writeHead(202).end();
        else json(response, rpc(id, text('hello')));
      });
    }
  });
  return { url: (type: string) => `${base}/${type}`, open };
}

const ways = ['http', 'http-plain', 'sse'];

describe('an answer to a request that was not sent', () => {
  test('of a process: what came, and what was expected', async () => {
    const { failure } = trial({ files: brokenServer('astray') }, { limits });
    const failed = await failure('files', 'x');
    expect(failed).toMatchObject({ code: 'server-unreachable', delivery: 'unsent' });
    expect(failed.message).toMatch(
      /^No session with "files" \(.*\) could be opened: it answered with the id 1000041, which no request had; expected was the answer to "initialize" with the id 1000000\.$/,
    );
  });

  test.each(ways)('over %s, the same', async (type) => {
    const { url } = await introducing((response, { id }) =>
      response.write(event(rpc(`${id}x`, introduction('2025-11-25')))),
    );
    const { failure } = trial({ remote: { type, url: url(type) } }, { limits });
    const failed = await failure('remote', 'x');
    expect(failed).toMatchObject({ code: 'server-unreachable', delivery: 'unsent' });
    expect(failed.message).toMatch(
      /answered with the id "(\d+)x", which no request had; expected was the answer to "initialize" with the id \1\.$/,
    );
  });

  test.each(ways)('over %s, an error without any id is the answer: its words are shown', async (type) => {
    const { url } = await introducing((response) =>
      response.write(event({ jsonrpc: '2.0', error: { code: -32_700, message: 'what is that?' } })),
    );
    const { failure } = trial({ remote: { type, url: url(type) } }, { limits });
    expect((await failure('remote', 'x')).message).toMatch(/refused "initialize": what is that\?\.$/);
  });
});

test.each(ways)('over %s, questions, notices and a repeated answer do not end the handshake', async (type) => {
  const { url } = await introducing((response, { id }) => {
    response.write(event({ jsonrpc: '2.0', id: 7, method: 'ping' }));
    response.write(event(notice));
    for (let times = 0; times < 2; times++) response.write(event(rpc(id, introduction('2025-11-25'))));
    if (type !== 'sse') response.end();
  });
  const { call } = trial({ remote: { type, url: url(type) } }, { limits });
  expect(textOf(await call('remote', 'x'))).toBe('hello');
});

describe('a server that sends without end before its introduction is given up', () => {
  test('as a process', async () => {
    const { failure } = trial({ files: brokenServer('babbles') }, { limits });
    const failed = await failure('files', 'x');
    expect(failed).toMatchObject({ code: 'server-unreachable', delivery: 'unsent' });
    expect(failed.message).toContain('it sent more than 10000 messages that answer no request');
  });

  test.each(
    ways.flatMap((type) => [
      [type, 'messages', event(notice)],
      [type, 'what is no message', 'data: x\n\n'],
    ]),
  )('over %s, with %s, and others are answered', async (type, _, what) => {
    const { url, open } = await introducing((response) => pour(response, what));
    const { call, failure } = trial({ loud: { type, url: url(type) }, tools: toolsServer(newLedger()) }, { limits });
    const [failed, answer] = await Promise.all([failure('loud', 'x'), call('tools', 'echo', { message: 'quick' })]);
    expect(failed).toMatchObject({ code: 'server-unreachable', delivery: 'unsent' });
    expect(failed.message).toContain('it sent more than 10000 messages that answer no request');
    expect(textOf(answer)).toBe('quick');
    await soon(() => expect(open.size).toBe(0));
  });
});
