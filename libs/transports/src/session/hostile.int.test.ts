/**
 * Servers that talk too much, too slowly or in no language: a failure with a name, and the next call has its answer.
 */
import { toolsServer, soon } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { event, introduction, json, listening, messageOf, rpc, text, toolOf } from '../testing/testHttp.ts';
import { newLedger, textOf, trial } from '../testing/testServers.ts';

const limits = { graceMs: 100, pingMs: 500 };

describe('a process', () => {
  const tools = (baton: object = {}) => trial({ tools: { ...toolsServer(newLedger()), baton } }, { limits });

  test('whose answer is not UTF-8: it answered, and that is no result', async () => {
    const { call, failure } = tools();
    const pid = textOf(await call('tools', 'pid'));
    expect(await failure('tools', 'garbled')).toMatchObject({
      code: 'invalid-result',
      delivery: 'answered',
      message: 'The answer is not UTF-8.',
    });
    expect(textOf(await call('tools', 'pid'))).toBe(pid);
  });

  test('that answers with noise: the call times out, and tells what was printed instead', async () => {
    const { call, failure } = tools();
    const failed = await failure('tools', 'noise', {}, { timeout: { idleMs: 200 } });
    expect(failed).toMatchObject({ code: 'timeout', delivery: 'unknown' });
    expect(failed.message).toContain('It printed one line on stdout that are no JSON-RPC messages');
    expect(textOf(await call('tools', 'echo', { message: 'next' }))).toBe('next');
  });

  test.each([
    ['reports progress', 'flood'],
    ['says this and that', 'babble'],
    ['prints what is no message', 'rubble'],
  ])('that %s for ever: the time is over, and a session that never stops gets no further call', async (_, tool) => {
    const { call, failure, status } = tools();
    const pid = textOf(await call('tools', 'pid'));
    const failed = await failure('tools', tool, {}, { timeout: { totalMs: 300 } });
    expect(failed).toMatchObject({ code: 'timeout', delivery: 'unknown', failure: { details: { kind: 'total' } } });
    await soon(async () => expect(textOf(await call('tools', 'pid'))).not.toBe(pid));
    await soon(() => expect(status()).toMatchObject([{ sessions: { open: 1 } }]));
  });

  test('whose line never ends: the call times out, and the next call gets another session', async () => {
    const { call, failure } = tools();
    const pid = textOf(await call('tools', 'pid'));
    const failed = await failure('tools', 'drip', {}, { timeout: { idleMs: 200 } });
    expect(failed).toMatchObject({ code: 'timeout', delivery: 'unknown' });
    expect(textOf(await call('tools', 'pid'))).not.toBe(pid);
  });

  test('of 2025-03-26 that answers in a batch, with a question and progress in it', async () => {
    const { call, status } = tools({ protocol: '2025-03-26' });
    const heard: unknown[] = [];
    expect(textOf(await call('tools', 'batch', {}, { onProgress: (one) => heard.push(one) }))).toBe('in a batch');
    expect(heard).toEqual([{ progress: 1 }]);
    expect(status()).toMatchObject([{ protocolVersion: '2025-03-26' }]);
  });
});

/**
 * An HTTP server that shakes hands well, unless it is to begin with its first answer; how it answers, its tools say.
 */
async function speaking(revision = '2025-11-25', isSlowToOpen = false) {
  const drips = new Set<NodeJS.Timeout>();
  const base = await listening((request, response) => {
    const drip = (type: string, byte: string): void => {
      response.writeHead(200, { 'content-type': type });
      const timer = setInterval(() => response.write(byte), 5);
      drips.add(timer);
      response.on('close', () => {
        clearInterval(timer);
        drips.delete(timer);
      });
    };
    if (request.method !== 'POST') return void response.writeHead(405).end();
    void messageOf(request).then(({ id, method, params }) => {
      const name = toolOf(params);
      const answer = rpc(id, text(name));
      if (method === 'server/discover') response.writeHead(400).end('no such method');
      else if (isSlowToOpen) drip('application/json', ' ');
      else if (method === 'initialize') json(response, rpc(id, introduction(revision)));
      else if (id === undefined) response.writeHead(202).end();
      else if (name === 'dripJson') drip('application/json', ' ');
      else if (name === 'dripEvents') drip('text/event-stream', ':');
      else if (name === 'batch') json(response, [{ jsonrpc: '2.0', method: 'notifications/x' }, answer]);
      else if (name === 'events') response.writeHead(200, { 'content-type': 'text/event-stream' }).end(event(answer));
      else if (name === 'garbled') {
        const body = Buffer.from(JSON.stringify(answer));
        body[body.indexOf('garbled')] = 0xff;
        response.writeHead(200, { 'content-type': 'application/json' }).end(body);
      } else json(response, answer);
    });
  });
  return { url: `${base}/mcp`, drips };
}

describe.each(['http', 'http-plain'])('over %s, a server', (type) => {
  test.each(['dripJson', 'dripEvents'])(
    'that answers a byte at a time, for ever (%s): the time is over',
    async (tool) => {
      const { url, drips } = await speaking();
      const { call, failure } = trial({ slow: { type, url } }, { limits });
      const failed = await failure('slow', tool, {}, { timeout: { idleMs: 200 } });
      expect(failed).toMatchObject({ code: 'timeout', delivery: 'unknown' });
      await soon(() => expect(drips.size).toBe(0));
      expect(textOf(await call('slow', 'echo'))).toBe('echo');
    },
  );

  test('whose handshake comes byte by byte is given up', async () => {
    const { url, drips } = await speaking('2025-11-25', true);
    const { failure } = trial({ slow: { type, url } }, { limits: { ...limits, openMs: 300 } });
    const failed = await failure('slow', 'echo');
    expect(failed).toMatchObject({ code: 'server-unreachable', delivery: 'unsent' });
    // A loaded machine may not have read the answer to "server/discover" by then.
    expect(failed.message).toMatch(/did not answer .*"initialize" within 300ms/);
    await soon(() => expect(drips.size).toBe(0));
  });

  test('whose answer is not UTF-8: that is no result', async () => {
    const { url } = await speaking();
    const { call, failure } = trial({ slow: { type, url } }, { limits });
    const failed = await failure('slow', 'garbled');
    expect(failed).toMatchObject({ code: 'invalid-result', delivery: 'unknown' });
    expect(failed.message).toContain('not UTF-8');
    expect(textOf(await call('slow', 'echo'))).toBe('echo');
  });

  test('of 2025-03-26 that answers in a batch', async () => {
    const { url } = await speaking('2025-03-26');
    const { call } = trial({ slow: { type, url } }, { limits });
    expect(textOf(await call('slow', 'batch'))).toBe('batch');
    expect(textOf(await call('slow', 'events'))).toBe('events');
  });
});
