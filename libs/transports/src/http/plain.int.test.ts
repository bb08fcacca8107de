/** Plain stateless HTTP (seed 003): POST in, JSON out; `res.json(response)` and nothing more. */
import { soon } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import {
  event,
  introduction,
  json,
  listening,
  messageOf,
  rpc,
  text,
  toolOf,
  type Message,
} from '../testing/testHttp.ts';
import { textOf, trial } from '../testing/testServers.ts';

const tools = [{ name: 'echo', inputSchema: { type: 'object' } }];

/** `handles` says whether it knows `initialize`. What it does with a call is its tool's name. */
async function plainServer(knowsHandshake = true) {
  const seen: Message[] = [];
  let given = 0;
  const base = await listening((request, response) => {
    response.on('close', () => {
      given += response.writableEnded ? 0 : 1;
    });
    void messageOf(request).then((message) => {
      seen.push(message);
      const { id, method, params } = message;
      const name = toolOf(params);
      const unknown = { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
      // A notification has no answer, and such a server then never ends the response.
      if (id === undefined) return;
      if (method === 'initialize') json(response, knowsHandshake ? rpc(id, introduction('2024-11-05')) : unknown);
      else if (method === 'tools/list') json(response, rpc(id, { tools }));
      else if (method !== 'tools/call') json(response, unknown, 404);
      else if (name === 'events') {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(event(rpc(id, text('as events'))));
      } else if (name === 'badRequest') {
        json(
          response,
          { jsonrpc: '2.0', id, error: { code: -32602, message: 'Invalid params', data: { expected: 'x' } } },
          400,
        );
      } else if (name === 'unknown-session')
        json(response, { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } });
      else if (name === 'batch') json(response, [rpc(id, text('in a batch'))]);
      else if (name === 'empty') response.writeHead(202).end();
      else if (name === 'page') response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>');
      else if (name === 'broken') response.writeHead(500).end('oops');
      else if (name !== 'hang') json(response, rpc(id, text(name)));
    });
  });
  const servers = trial({ plain: { type: 'http-plain', url: `${base}/mcp` } }, { limits: { openMs: 10_000 } });
  return { ...servers, seen, given: () => given };
}

describe('plain HTTP', () => {
  test('calls and lists without a session, and does not wait for notifications', async () => {
    const { call, catalogue, status, seen } = await plainServer();
    expect(textOf(await call('plain', 'echo'))).toBe('echo');
    expect((await catalogue('plain')).tools.map(({ name }) => name)).toEqual(['echo']);
    expect(status()).toMatchObject([{ type: 'http-plain', protocolVersion: '2024-11-05' }]);
    expect(seen.map(({ method }) => method)).not.toContain('server/discover');
  });

  test('a server without a handshake is used for the lists that it answers', async () => {
    const { call, catalogue } = await plainServer(false);
    expect(textOf(await call('plain', 'echo'))).toBe('echo');
    const { tools: listed, prompts, problems } = await catalogue('plain');
    expect({ tools: listed.length, prompts, problems }).toEqual({ tools: 1, prompts: [], problems: [] });
  });

  test.each([
    ['events', 'as events'],
    ['batch', 'in a batch'],
  ])('an answer as %s is an answer', async (tool, said) => {
    const { call } = await plainServer();
    expect(textOf(await call('plain', tool))).toBe(said);
  });

  test.each([
    ['badRequest', 'invalid-arguments', 'rejected'],
    ['unknown-session', 'server-rejected', 'rejected'],
    ['empty', 'connection-lost', 'unknown'],
    ['page', 'invalid-result', 'unknown'],
    ['broken', 'server-error', 'unknown'],
  ])('%s: %s, %s', async (tool, code, delivery) => {
    const { failure } = await plainServer();
    expect(await failure('plain', tool)).toMatchObject({ code, delivery });
  });

  test('the data of an error is kept', async () => {
    const { failure } = await plainServer();
    expect((await failure('plain', 'badRequest')).failure.details).toMatchObject({
      status: 400,
      code: -32602,
      message: 'Invalid params',
      data: { expected: 'x' },
    });
  });

  test('a call is cancelled by hanging up, since there is no session to notify', async () => {
    const { failure, seen, given } = await plainServer();
    const stop = new AbortController();
    const failed = failure('plain', 'hang', {}, { signal: stop.signal });
    await soon(() => expect(seen.at(-1)?.params?.['name']).toBe('hang'));
    stop.abort('enough');
    expect(await failed).toMatchObject({ code: 'cancelled', delivery: 'unknown' });
    await soon(() => expect(given()).toBeGreaterThan(0));
    expect(seen.map(({ method }) => method)).not.toContain('notifications/cancelled');
  });

  test('a redirect within the server is followed, one to elsewhere is not', async () => {
    const base = await listening((request, response) => {
      void messageOf(request).then(({ id, method }) => {
        if (request.url === '/mcp') response.writeHead(308, { location: '/mcp/' }).end();
        else if (method === 'tools/call') response.writeHead(307, { location: 'http://169.254.169.254/x' }).end();
        else json(response, rpc(id, introduction('2024-11-05')));
      });
    });
    const { failure } = trial({ plain: { type: 'http-plain', url: `${base}/mcp` } });
    const failed = await failure('plain', 'echo');
    expect(failed).toMatchObject({ code: 'server-rejected', delivery: 'rejected' });
    expect(failed.message).toContain('not followed');
  });
});
