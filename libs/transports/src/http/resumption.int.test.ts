/** Streams of Streamable HTTP that break and are taken up again (2025-11-25, transports, resumability), and batches. */
import { soon } from '@baton/testing';
import { expect, test } from 'vitest';

import { event, introduction, json, listening, messageOf, rpc, text, toolOf } from '../testing/testHttp.ts';
import { textOf, trial } from '../testing/testServers.ts';

/** What was asked for with GET: the `Last-Event-ID` of each. */
async function resumable(revision: string, retry = 'retry: 1\n') {
  const resumed: (string | undefined)[] = [];
  const ended: string[] = [];
  const waiting = new Map<string, unknown>();
  const calls: string[] = [];
  const base = await listening((request, response) => {
    if (request.method === 'DELETE') {
      ended.push(String(request.headers['mcp-session-id']));
      response.end();
      return;
    }
    if (request.method === 'GET') {
      const last = request.headers['last-event-id'];
      resumed.push(typeof last === 'string' ? last : undefined);
      if (last === undefined) response.writeHead(405).end();
      else if (!waiting.has(String(last))) response.writeHead(404).end();
      else {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(event(waiting.get(String(last)), 'id: end\n'));
      }
      return;
    }
    void messageOf(request).then((message) => {
      const { id, method, params } = message;
      const name = toolOf(params);
      response.setHeader('mcp-session-id', 'session-1');
      if (method === 'server/discover') response.writeHead(400).end('no such method');
      else if (method === 'initialize') json(response, rpc(id, introduction(revision)));
      else if (id === undefined) response.writeHead(202).end();
      else if (method !== 'tools/call') json(response, rpc(id, {}));
      else {
        calls.push(name);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const note = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } };
        if (name === 'batch') response.end(event([note, rpc(id, text('in a batch'))]));
        else {
          // The event that only says where to go on, and the end of the connection.
          if (name === 'resumed') waiting.set(`from-${id}`, rpc(id, text('after all')));
          response.write(`${retry}id: from-${id}\ndata: \n\n`, () => response.destroy());
        }
      }
    });
  });
  const servers = trial({ http: { url: `${base}/mcp` } }, { limits: { pingMs: 5_000 } });
  return { ...servers, resumed, ended, calls };
}

test('an answer whose stream broke is fetched by Last-Event-ID, and nothing is called twice', async () => {
  const { call, calls, resumed } = await resumable('2025-11-25');
  expect(textOf(await call('http', 'resumed'))).toBe('after all');
  expect(calls).toEqual(['resumed']);
  expect(resumed).toContainEqual(expect.stringMatching(/^from-\d+$/));
});

test('one that cannot be resumed is reported as lost, with an unknown outcome', async () => {
  const { failure, calls } = await resumable('2025-11-25');
  const failed = await failure('http', 'gone', {}, { timeout: { totalMs: 20_000 } });
  expect(failed).toMatchObject({ code: 'connection-lost', delivery: 'unknown' });
  expect(calls).toEqual(['gone']);
});

test('answers in a batch are answers where the revision has batches', async () => {
  const { call, status } = await resumable('2025-03-26');
  expect(textOf(await call('http', 'batch'))).toBe('in a batch');
  expect(status()).toMatchObject([{ protocolVersion: '2025-03-26', era: 'legacy' }]);
});

test('closing ends the session at the server, and every opening in progress', async () => {
  const { call, close, ended } = await resumable('2025-11-25');
  await call('http', 'resumed');
  await close();
  expect(ended).toEqual(['session-1']);
});

test('a server that ends every stream at once is not asked without pause', async () => {
  let gets = 0;
  const base = await listening((request, response) => {
    if (request.method === 'GET') {
      gets += 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 0\n\n');
      return;
    }
    void messageOf(request).then(({ id, method }) => {
      if (method === 'server/discover') response.writeHead(400).end();
      else if (id === undefined) response.writeHead(202).end();
      else json(response, rpc(id, method === 'initialize' ? introduction('2025-11-25') : text('x')));
    });
  });
  const { call } = trial({ http: { url: `${base}/mcp` } });
  const begun = performance.now();
  await call('http', 'echo');
  await soon(() => expect(gets).toBeGreaterThanOrEqual(3));
  // 100, 200, 400 ms, … between them: never more than this, however slow the machine.
  const passedMs = performance.now() - begun;
  expect(gets).toBeLessThanOrEqual(2 + Math.log2(1 + passedMs / 100));
});
