/** Redirects are followed within one origin, each through the HTTP client; no other host sees anything of a request. */
import type { IncomingMessage } from 'node:http';

import { describe, expect, test } from 'vitest';

import { event, introduction, json, listening, messageOf, rpc, text } from '../testing/testHttp.ts';
import { textOf, trial } from '../testing/testServers.ts';

const secret = (): string => 'hunter2-hunter2';
const headers = { Authorization: 'Bearer ${secret:TOKEN}' };

/** It answers at `/there`, and redirects every request to `/mcp` to `location`. */
async function redirecting(type: string, location: string) {
  const seen: string[] = [];
  let stream: ((message: unknown) => void) | undefined;
  const answer = async (request: IncomingMessage, say: (body: unknown) => void): Promise<void> => {
    const { id, method } = await messageOf(request);
    if (method === 'server/discover') say({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
    else
      say(id === undefined ? undefined : rpc(id, method === 'initialize' ? introduction('2025-11-25') : text('here')));
  };
  const base = await listening((request, response) => {
    seen.push(
      `${request.method} ${request.url} ${request.headers.authorization === undefined ? 'anonymous' : 'known'}`,
    );
    const isThere = request.url?.startsWith('/there') === true;
    if (!isThere) response.writeHead(307, { location }).end();
    else if (request.method === 'GET' && type === 'sse') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /there\n\n');
      stream = (message) => (message === undefined ? undefined : response.write(event(message)));
    } else if (request.method !== 'POST') response.writeHead(405).end();
    else if (stream === undefined) {
      void answer(request, (body) => (body === undefined ? response.writeHead(202).end() : json(response, body)));
    } else {
      response.writeHead(202).end();
      void answer(request, stream);
    }
  });
  return { url: `${base}/mcp`, seen };
}

describe.each(['http', 'http-plain', 'sse'])('over %s', (type) => {
  test('a redirect within the server is followed, and the credentials go along', async () => {
    const { url, seen } = await redirecting(type, '/there');
    const { call } = trial({ remote: { type, url, headers } }, { secret });
    expect(textOf(await call('remote', 'x'))).toBe('here');
    expect(seen.some((one) => one.includes('/mcp known'))).toBe(true);
    expect(seen.some((one) => one.includes('/there known'))).toBe(true);
    expect(seen.filter((one) => one.endsWith('anonymous'))).toEqual([]);
  });

  test.each([
    ['another origin', 'other'],
    ['this machine’s metadata', 'http://169.254.169.254/latest/meta-data/'],
    ['another protocol', 'file:///etc/passwd'],
  ])('one to %s is not: nothing is asked there', async (_, to) => {
    const asked: unknown[] = [];
    const other = await listening((request, response) => {
      asked.push(request.headers);
      response.writeHead(200).end('{}');
    });
    const { url } = await redirecting(type, to === 'other' ? `${other}/there` : to);
    const { failure } = trial({ remote: { type, url, headers } }, { secret });
    const failed = await failure('remote', 'x');
    expect(failed).toMatchObject({ delivery: 'unsent' });
    expect(failed.message).toMatch(/redirect/i);
    expect(failed.message).not.toContain('hunter2');
    expect(asked).toEqual([]);
  });

  test('a circle of them ends', async () => {
    const { url, seen } = await redirecting(type, '/mcp');
    const { failure } = trial({ remote: { type, url } });
    expect((await failure('remote', 'x')).message).toMatch(/redirect/i);
    expect(seen.length).toBeLessThan(30);
  });
});
