/**
 * How far a call got is what decides whether a write may be repeated. Each class over stdio, against a real process that
 * writes down what reached it.
 */

import { callContext, brokenServer, readLedger, toolsServer, soon } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { newLedger, textOf, trial } from '../testing/testServers.ts';

function tools(baton: object = {}) {
  const ledger = newLedger();
  const servers = trial({ tools: { ...toolsServer(ledger), baton } }, { limits: { graceMs: 200, pingMs: 500 } });
  return {
    ...servers,
    ledger: () => readLedger(ledger),
    called: () => readLedger(ledger).flatMap(({ call }) => call ?? []),
  };
}

describe('it answered', () => {
  test('a tool that reports an error: its text is the message, its content the evidence', async () => {
    const { failure } = tools();
    const {
      code,
      delivery,
      message,
      failure: value,
    } = await failure('tools', 'fail', { message: 'no\u001B[31m paper' });
    expect({ code, delivery, message }).toEqual({ code: 'tool-failed', delivery: 'answered', message: 'no paper' });
    expect(value.details).toEqual({ content: [{ type: 'text', text: 'no\u001B[31m paper' }] });
  });

  test('a tool that fails twice works the third time, and was called three times', async () => {
    const { call, failure, called } = tools();
    expect((await failure('tools', 'flaky', { failures: 2 })).code).toBe('tool-failed');
    expect((await failure('tools', 'flaky', { failures: 2 })).code).toBe('tool-failed');
    expect(textOf(await call('tools', 'flaky', { failures: 2 }))).toBe('worked');
    expect(called()).toEqual(['flaky', 'flaky', 'flaky']);
  });

  test.each([
    [-32603, 'server-error', 'answered'],
    [-32000, 'server-error', 'answered'],
    [42, 'server-error', 'answered'],
    [-32602, 'invalid-arguments', 'rejected'],
    [-32601, 'server-rejected', 'rejected'],
    [-32600, 'server-rejected', 'rejected'],
    [-32002, 'tool-not-found', 'rejected'],
  ])('JSON-RPC error %i is %s, %s, and keeps its code and data', async (rpc, code, delivery) => {
    const { failure } = tools();
    const failed = await failure('tools', 'error', { code: rpc, message: 'why', data: { more: 1 } });
    expect({ code: failed.code, delivery: failed.delivery }).toEqual({ code, delivery });
    expect(failed.failure.details).toEqual({ code: rpc, message: 'why', data: { more: 1 } });
  });

  test('a call of an unknown tool was rejected', async () => {
    const { failure } = tools();
    expect(await failure('tools', 'nonsense')).toMatchObject({ code: 'tool-not-found', delivery: 'rejected' });
  });

  test.each([
    ['a result that is no object', 'malformed', { result: 'x' }],
    ['content that is no list', 'malformed', { result: { content: {} } }],
    ['a hundred thousand levels', 'deep', { levels: 100_000 }],
  ])('with something else: %s', async (_, tool, args) => {
    const { failure, call } = tools();
    expect(await failure('tools', tool, args)).toMatchObject({ code: 'invalid-result', delivery: 'answered' });
    expect(textOf(await call('tools', 'echo', { message: 'still here' }))).toBe('still here');
  });

  test.each(['first', 'last'])(
    'with more than is read, its id %s: that answer is lost, the session is not',
    async (id) => {
      const { failure, call } = tools();
      const pid = textOf(await call('tools', 'pid'));
      const before = process.memoryUsage().rss;
      const failed = await failure('tools', 'huge', { bytes: 60e6, id });
      expect(failed).toMatchObject({ code: 'result-too-large', delivery: 'answered' });
      expect(failed.message).toMatch(/^The answer is 600000\d\d bytes long; at most 17825792 are read\.$/);
      expect(process.memoryUsage().rss - before).toBeLessThan(150e6);
      expect(textOf(await call('tools', 'pid'))).toBe(pid);
    },
  );

  test('and then died: the answer counts', async () => {
    const { call, status } = tools();
    expect(textOf(await call('tools', 'last'))).toHaveLength(1e6);
    await soon(() => expect(status()[0]?.sessions.open).toBe(0));
    expect(textOf(await call('tools', 'echo', { message: 'again' }))).toBe('again');
  });

  test('a cancelled call within the grace time: the answer counts', async () => {
    const { call } = tools();
    const stop = new AbortController();
    const called = call('tools', 'stubborn', { ms: 50 }, { signal: stop.signal });
    await soon(() => expect(call('tools', 'echo', { message: 'x' })).resolves.toBeDefined());
    stop.abort('enough');
    expect(textOf(await called)).toBe('done nevertheless');
  });
});

describe('the outcome is unknown', () => {
  test.each([
    ['its process ended', { code: 9 }, 'ended with exit code 9'],
    ['its process was killed', { signal: 'SIGKILL' }, 'was ended by SIGKILL'],
    ['its process crashed', { signal: 'SIGSEGV' }, 'was ended by SIGSEGV'],
  ])('%s: the message tells how, and its last words', async (_, args, how) => {
    const { failure, call, called } = tools();
    const failed = await failure('tools', 'crash', args);
    expect(failed).toMatchObject({ code: 'connection-lost', delivery: 'unknown' });
    expect(failed.message).toMatch(/^The server "tools" \(.*tools\.mjs .*\) /);
    expect(failed.message).toContain(how);
    expect(failed.message).toContain('Its stderr ends: about to crash');
    expect(called()).toEqual(['crash']);
    expect(textOf(await call('tools', 'echo', { message: 'a new process' }))).toBe('a new process');
  });

  test('every caller with a call in flight is told, and no call is made again', async () => {
    const { failure, called } = tools();
    const waiting = ['hang', 'hang', 'write'].map((tool) => failure('tools', tool === 'write' ? 'hang' : tool));
    await soon(() => expect(called()).toHaveLength(3));
    const crash = failure('tools', 'crash');
    for (const failed of await Promise.all([...waiting, crash])) {
      expect(failed).toMatchObject({ code: 'connection-lost', delivery: 'unknown' });
    }
    expect(called()).toEqual(['hang', 'hang', 'hang', 'crash']);
  });

  test('silence for too long: the call is cancelled at the server, and the server is pinged', async () => {
    const { failure, call, ledger } = tools();
    const pid = textOf(await call('tools', 'pid'));
    const failed = await failure('tools', 'hang', {}, { timeout: { idleMs: 50 } });
    expect(failed).toMatchObject({ code: 'timeout', delivery: 'unknown', failure: { details: { kind: 'idle' } } });
    expect(textOf(await call('tools', 'pid'))).toBe(pid);
    expect(ledger().filter(({ cancelled }) => cancelled !== undefined)).toHaveLength(1);
  });

  test('[L-088] progress breaks the silence, and nothing puts off the total', async () => {
    const { call, failure } = tools();
    const heard: number[] = [];
    const onProgress = ({ progress }: { progress: number }) => heard.push(progress);
    await call('tools', 'slow', { ms: 800, steps: 8 }, { timeout: { idleMs: 400 }, onProgress });
    expect(heard).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const failed = await failure(
      'tools',
      'slow',
      { ms: 60_000, steps: 600 },
      { timeout: { idleMs: 5_000, totalMs: 500 } },
    );
    expect(failed).toMatchObject({ code: 'timeout', delivery: 'unknown', failure: { details: { kind: 'total' } } });
  });

  test('cancelled, and the server says nothing more', async () => {
    const { failure, called, ledger } = tools();
    const stop = new AbortController();
    const failed = failure('tools', 'hang', {}, { signal: stop.signal });
    await soon(() => expect(called()).toEqual(['hang']));
    stop.abort('no longer wanted');
    expect(await failed).toMatchObject({ code: 'cancelled', delivery: 'unknown' });
    expect(ledger().find(({ cancelled }) => cancelled !== undefined)?.reason).toBe('no longer wanted');
  });

  test.each(['both', 'neither'])('it answered with %s of result and error', async (tool) => {
    const { failure } = tools();
    expect(await failure('tools', tool)).toMatchObject({ code: 'invalid-result', delivery: 'unknown' });
  });

  test('a line that is too long and has no request id at its ends closes the session', async () => {
    const { failure, call } = tools();
    const pid = textOf(await call('tools', 'pid'));
    expect(await failure('tools', 'huge', { bytes: 20e6, id: 'none' })).toMatchObject({ delivery: 'unknown' });
    expect(textOf(await call('tools', 'pid'))).not.toBe(pid);
  });
});

describe('it never left', () => {
  test('cancelled before it began', async () => {
    const { failure, called } = tools();
    const failed = await failure('tools', 'write', {}, { signal: AbortSignal.abort('too late') });
    expect(failed).toMatchObject({ code: 'cancelled', delivery: 'unsent' });
    expect(called()).toEqual([]);
  });

  test('no session was free in time', async () => {
    const { failure, called } = tools({ concurrency: 1 });
    const enough = new AbortController();
    const hanging = failure('tools', 'hang', {}, { signal: enough.signal });
    await soon(() => expect(called()).toEqual(['hang']));
    const failed = await failure('tools', 'write', {}, { timeout: { totalMs: 50 } });
    expect(failed).toMatchObject({ code: 'timeout', delivery: 'unsent' });
    enough.abort();
    await hanging;
    expect(called()).toEqual(['hang']);
  });

  test('cancelled while it waited for a session', async () => {
    const { failure, called } = tools({ concurrency: 1 });
    const enough = new AbortController();
    const hanging = failure('tools', 'hang', {}, { signal: enough.signal });
    await soon(() => expect(called()).toEqual(['hang']));
    const stop = new AbortController();
    const failed = failure('tools', 'write', {}, { signal: stop.signal });
    stop.abort();
    expect(await failed).toMatchObject({ code: 'cancelled', delivery: 'unsent' });
    enough.abort();
    await hanging;
    expect(called()).toEqual(['hang']);
  });

  test('the server does not read: queued messages are unsent, those in the pipe may have arrived', async () => {
    const { failure } = trial({ deaf: brokenServer('deaf') }, { limits: { pingMs: 100 } });
    const large = { text: 'x'.repeat(4e6) };
    const stop = new AbortController();
    const first = failure('deaf', 'a', large, { timeout: { idleMs: 1_000 } });
    const second = failure('deaf', 'b', large, { signal: stop.signal, timeout: { idleMs: 1_000 } });
    const third = failure('deaf', 'c', large, { timeout: { idleMs: 300 } });
    setImmediate(() => stop.abort());
    expect(await second).toMatchObject({ code: 'cancelled', delivery: 'unsent' });
    expect(await third).toMatchObject({ code: 'timeout', delivery: 'unsent' });
    expect(await first).toMatchObject({ delivery: 'unknown' });
  });

  test('a server, a secret, a program that is not there', async () => {
    const { failure } = trial({
      program: { command: 'no-such-program' },
      secret: { command: 'x', env: { K: '${secret:NONE}' } },
      off: { command: 'x', disabled: true },
    });
    expect(await failure('nowhere', 'x')).toMatchObject({ code: 'server-unknown', delivery: 'unsent' });
    expect(await failure('off', 'x')).toMatchObject({ code: 'server-unknown', delivery: 'unsent' });
    expect(await failure('program', 'x')).toMatchObject({ code: 'server-unreachable', delivery: 'unsent' });
    const failed = await failure('secret', 'x');
    expect(failed).toMatchObject({ code: 'server-unreachable', delivery: 'unsent' });
    expect(failed.message).toBe(
      'The server "secret" refers to "${secret:NONE}", and there is no such secret. Set it: baton secrets set NONE',
    );
  });
});

describe('answers without a waiting caller change nothing', () => {
  test('unrequested and repeated answers, and answers to another caller', async () => {
    const { call } = tools();
    expect(textOf(await call('tools', 'stray'))).toBe('right');
    expect(textOf(await call('tools', 'echo', { message: 'next' }))).toBe('next');
  });

  test('an id that comes back as text is the id', async () => {
    const { call } = tools();
    expect(textOf(await call('tools', 'textId'))).toBe('right');
  });

  test('rubbish between messages, blank lines and byte order marks', async () => {
    const { call } = tools();
    expect(textOf(await call('tools', 'rubbish'))).toBe('right');
  });

  test('an answer that comes after its call was given up', async () => {
    const { failure, call } = tools();
    expect(await failure('tools', 'stubborn', { ms: 100 }, { timeout: { idleMs: 20 } })).toMatchObject({
      code: 'timeout',
    });
    expect(textOf(await call('tools', 'stubborn', { ms: 200 }))).toBe('done nevertheless');
  });
});

test('a flood of progress is reduced, and the call succeeds', async () => {
  const { call } = tools();
  let heard = 0;
  const onProgress = (): void => void (heard += 1);
  expect(textOf(await call('tools', 'chatter', { times: 50_000 }, { onProgress }))).toBe('done');
  expect(heard).toBeGreaterThan(0);
  expect(heard).toBeLessThan(5_000);
});

test('progress without a token belongs to the only call in flight', async () => {
  const { call } = tools();
  const heard: unknown[] = [];
  await call('tools', 'tokenless', {}, { onProgress: (progress) => void heard.push(progress) });
  expect(heard).toEqual([{ progress: 1, total: 2 }]);
});

test('[L-086] a call carries its attempt and its idempotency key', async () => {
  const { calls, ledger } = tools();
  const context = { ...callContext(), attemptKey: 'run-9/charge#2' };
  await calls.callTool({ server: 'tools', tool: 'write', arguments: {}, idempotencyKey: 'order-1' }, context);
  expect(ledger()[0]?.meta).toMatchObject({ 'baton/attempt': 'run-9/charge#2', idempotencyKey: 'order-1' });
  await calls.callTool(
    { server: 'tools', tool: 'write', arguments: {}, idempotencyKey: 'order-1' },
    { ...context, attemptKey: 'run-9/charge#3' },
  );
  expect(ledger().map(({ meta }) => meta?.['idempotencyKey'])).toEqual(['order-1', 'order-1']);
});
