/** How far a call got over Streamable HTTP: each class against a server that misbehaves in that way. */
import { faultProxy, startScriptedHttp, soon, type ScriptedHttp } from '@baton/testing';
import { describe, expect, onTestFinished, test } from 'vitest';

import { textOf, trial, type TestServers } from '../testing/testServers.ts';

async function scripted(limits = {}): Promise<TestServers & { readonly http: ScriptedHttp }> {
  const http = await startScriptedHttp();
  onTestFinished(() => http.close());
  const servers = trial(
    { http: { url: http.url } },
    { limits: { graceMs: 200, pingMs: 500, openMs: 2_000, ...limits } },
  );
  return { ...servers, http };
}

test.each(['json', 'sse'])('an answer as %s', async (tool) => {
  const { call } = await scripted();
  expect(textOf(await call('http', tool))).toBe(tool);
});

describe('by its status', () => {
  test.each([
    [400, {}, 'server-rejected', 'rejected'],
    [401, {}, 'server-unauthorized', 'rejected'],
    [403, {}, 'server-unauthorized', 'rejected'],
    [405, {}, 'server-rejected', 'rejected'],
    [408, {}, 'server-error', 'unknown'],
    [413, {}, 'server-rejected', 'rejected'],
    [429, { 'retry-after': '7' }, 'server-overloaded', 'rejected'],
    [500, {}, 'server-error', 'unknown'],
    [502, {}, 'server-error', 'unknown'],
    [503, { 'retry-after': '2' }, 'server-overloaded', 'rejected'],
    [503, {}, 'server-overloaded', 'unknown'],
    [504, {}, 'server-error', 'unknown'],
  ])('%i %o is %s, %s', async (status, headers, code, delivery) => {
    const { failure, http } = await scripted();
    const failed = await failure('http', 'status', { status, headers });
    expect(failed).toMatchObject({ code, delivery, failure: { details: { status } } });
    expect(failed.message).toMatch(/^The server "http" \(http:.*\) answered \d+: as you wished/);
    expect(failed.retryAfterMs).toBe('retry-after' in headers ? Number(headers['retry-after']) * 1_000 : undefined);
    expect(http.calls).toEqual(['status']);
  });

  test('a redirect is followed nowhere that is not the same server', async () => {
    const { failure } = await scripted();
    const failed = await failure('http', 'redirect', { location: 'http://169.254.169.254/latest/meta-data/' });
    expect(failed).toMatchObject({ code: 'server-rejected', delivery: 'rejected' });
    expect(failed.message).toContain('not followed');
  });
});

describe('the outcome is unknown', () => {
  test.each([
    ['the connection breaks before an answer', 'cut', 'connection-lost'],
    ['the stream of the answer breaks', 'cutStream', 'connection-lost'],
    ['the body of the answer breaks', 'cutBody', 'connection-lost'],
    ['the stream ends without an answer', 'noAnswer', 'connection-lost'],
    ['the answer is a page', 'html', 'invalid-result'],
    ['the answer is half of one', 'notJson', 'invalid-result'],
    ['the answer is to another request', 'otherId', 'invalid-result'],
  ])('%s', async (_, tool, code) => {
    const { failure, http, call } = await scripted();
    expect(await failure('http', tool)).toMatchObject({ code, delivery: 'unknown' });
    expect(http.calls).toEqual([tool]);
    expect(textOf(await call('http', 'json'))).toBe('json');
  });

  test('silence: the call is cancelled at the server, and the connection is closed', async () => {
    const { failure, http, call } = await scripted();
    // Its session is open: the time is for the answer alone.
    await call('http', 'json');
    expect(await failure('http', 'hang', {}, { timeout: { idleMs: 1_000 } })).toMatchObject({
      code: 'timeout',
      delivery: 'unknown',
    });
    await soon(() => expect(http.cancelled).toHaveLength(1));
  });

  test('cancelled: no answer comes within the grace time', async () => {
    const { failure, http } = await scripted();
    const stop = new AbortController();
    const failed = failure('http', 'hang', {}, { signal: stop.signal });
    await soon(() => expect(http.calls).toEqual(['hang']));
    stop.abort('enough');
    expect(await failed).toMatchObject({ code: 'cancelled', delivery: 'unknown' });
    await soon(() => expect(http.cancelled).toHaveLength(1));
  });
});

describe('it never left', () => {
  test('nothing listens', async () => {
    const { failure, http } = await scripted();
    await http.close().catch(() => {});
    const failed = await failure('http', 'json');
    expect(failed).toMatchObject({ code: 'server-unreachable', delivery: 'unsent' });
    expect(failed.message).toMatch(/ECONNREFUSED/);
  });

  test('the server goes away under an open session', async () => {
    const { call, failure, http } = await scripted();
    await call('http', 'json');
    await http.close();
    // A connection that it had kept alive may not have heard yet.
    await soon(async () => {
      expect(await failure('http', 'json')).toMatchObject({ code: 'server-unreachable', delivery: 'unsent' });
    });
  });

  test('the connection breaks between asking and sending: that may have arrived', async () => {
    const http = await startScriptedHttp();
    onTestFinished(() => http.close());
    const { hostname, port, pathname } = new URL(http.url);
    const proxy = await faultProxy({ host: hostname, port: Number(port) });
    onTestFinished(() => proxy.close());
    const { call, failure } = trial({ http: { url: `http://127.0.0.1:${proxy.port}${pathname}` } });
    // The session opens a stream of its own besides.
    for (let at = 0; at < 3; at++) await call('http', 'json');
    proxy.cutAtRequest();
    expect(await failure('http', 'json')).toMatchObject({ code: 'connection-lost', delivery: 'unknown' });
    // After a broken connection the session is asked whether it is there; that is over when it serves again.
    await call('http', 'json');
    proxy.cutAtAnswer();
    expect(await failure('http', 'json')).toMatchObject({ code: 'connection-lost', delivery: 'unknown' });
    expect(http.calls).toHaveLength(5);
  });
});

describe('the size of an answer', () => {
  test.each(['hugeBody', 'hugeEvent'])('%s is not read beyond the limit, and the session goes on', async (tool) => {
    const { failure, call } = await scripted();
    const before = process.memoryUsage().rss;
    expect(await failure('http', tool, { bytes: 60e6 })).toMatchObject({
      code: 'result-too-large',
      delivery: 'answered',
    });
    // The server lives in this process too, and has made it all.
    expect(process.memoryUsage().rss - before).toBeLessThan(400e6);
    expect(textOf(await call('http', 'json'))).toBe('json');
  });

  test('a stream may be longer than any of its events', async () => {
    const { call } = await scripted();
    expect(textOf(await call('http', 'manyEvents', { bytes: 30e6 }))).toBe('many');
  });
});

describe('a session that the server does not know any more', () => {
  test.each([404, 400] as const)('answered with %i: the call did not run, and is made on a new one', async (status) => {
    const { call, http } = await scripted();
    const first = await call('http', 'json');
    http.forgetSessions(status);
    const second = await call('http', 'json');
    expect(textOf(second)).toBe('json');
    expect(second.session?.session).not.toBe(first.session?.session);
    expect(http.calls).toEqual(['json', 'json']);
    // What was found out about its revision the first time still holds.
    expect(http.sessions).toMatchObject({ probed: 1, opened: 2 });
  });

  test('many calls that find out at once open one new session', async () => {
    const { call, http } = await scripted();
    await call('http', 'json');
    http.forgetSessions(404);
    const all = await Promise.all(Array.from({ length: 20 }, () => call('http', 'json')));
    expect(all.map(textOf)).toEqual(Array.from({ length: 20 }, () => 'json'));
    expect(http.sessions.opened).toBe(2);
    expect(http.calls).toHaveLength(21);
  });
});

test('a stream that stays open after its answer is closed in the end', async () => {
  const { call, close, http } = await scripted();
  for (let at = 0; at < 5; at++) expect(textOf(await call('http', 'linger'))).toBe('lingering');
  await close();
  await soon(() => expect(http.connections()).toBe(0));
  expect(http.sessions).toEqual({ probed: 1, opened: 1, ended: 1 });
});

test('a thousand calls on one session leave no listener behind, and warn of none', async () => {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  const { call, http } = await scripted();
  const loop = async (): Promise<void> => {
    for (let at = 0; at < 32; at++) await call('http', at % 2 === 0 ? 'sse' : 'json');
  };
  await Promise.all(Array.from({ length: 32 }, loop));
  expect(http.calls).toHaveLength(1_024);
  // An answer may come a little before the end of its stream, and the next call does not wait for that.
  expect(http.connections()).toBeLessThanOrEqual(2 * 32 + 1);
  expect(warnings).toEqual([]);
});

test('configured headers are sent, internal ones are not', async () => {
  const http = await startScriptedHttp();
  onTestFinished(() => http.close());
  const secret = (name: string): string | undefined => ({ TOKEN: 'abc-123' })[name];
  const { call } = trial({ http: { url: http.url, headers: { Authorization: 'Bearer ${secret:TOKEN}' } } }, { secret });
  await call('http', 'json');
  const [headers = {}] = http.headers;
  expect(headers).toMatchObject({
    authorization: 'Bearer abc-123',
    'mcp-protocol-version': '2025-11-25',
    'mcp-session-id': 'session-1',
  });
  expect(Object.keys(headers).filter((name) => name.startsWith('baton'))).toEqual([]);
});
