/**
 * Sessions: who gets one, who shares one, and when they end. Over real processes that write down which of them was
 * called.
 */

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '@baton/primitives';
import { callContext, brokenServer, readLedger, toolsServer, soon } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import type { SessionLimits } from '../session/limits.ts';
import type { ServerMetricsPort } from '../session/serverMetricsPort.ts';
import { newFolder, newLedger, textOf, trial } from '../testing/testServers.ts';

function pooled(baton: JsonObject = {}, limits: Partial<SessionLimits> = {}) {
  const ledger = newLedger();
  const opened: string[] = [];
  const waits: number[] = [];
  const measures: ServerMetricsPort = {
    called: () => {},
    waited: (_, ms) => void waits.push(ms),
    opened: (_, outcome) => void opened.push(outcome),
    closed: () => void opened.push('closed'),
  };
  const servers = trial({ tools: { ...toolsServer(ledger), baton } }, { limits, measures });
  const pidFor = async (runId: string): Promise<string> => textOf(await servers.call('tools', 'pid', {}, { runId }));
  return { ...servers, opened, waits, pidFor, called: () => readLedger(ledger).flatMap(({ call }) => call ?? []) };
}

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

describe('opening', () => {
  test('nothing is started before it is needed', () => {
    const { status, opened } = pooled();
    expect(status()).toMatchObject([{ state: 'idle', sessions: { open: 0, opening: 0 } }]);
    expect(opened).toEqual([]);
  });

  test('fifty callers at once open one session, and all get their answers', async () => {
    const { call, opened, status } = pooled();
    const answers = await Promise.all(times(50, (at) => call('tools', 'echo', { message: String(at) })));
    expect(answers.map(textOf)).toEqual(times(50, String));
    expect(opened).toEqual(['ok']);
    expect(status()).toMatchObject([{ state: 'ready', sessions: { open: 1, inFlight: 0 }, waiting: 0 }]);
  });

  test('callers who wait while a session opens open no second one, though there may be more', async () => {
    const { call, opened } = pooled({ sessions: 3 }, { growAfterMs: 60_000 });
    const answers = await Promise.all(times(10, (at) => call('tools', 'echo', { message: String(at) })));
    expect(answers.map(textOf)).toEqual(times(10, String));
    expect(opened).toEqual(['ok']);
  });

  test('when it fails, everyone who waited is told, and it failed once', async () => {
    const opened: string[] = [];
    const measures: ServerMetricsPort = {
      called: () => {},
      waited: () => {},
      opened: (_, outcome) => void opened.push(outcome),
      closed: () => {},
    };
    const { failure } = trial({ exits: brokenServer('exits') }, { measures });
    const failures = await Promise.all(times(20, () => failure('exits', 'x')));
    expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['server-unreachable']));
    expect(opened).toEqual(['server-unreachable']);
  });

  test('two processes are being started at once in a worker, and no more', async () => {
    const folder = newFolder();
    const started = (): string[] => readdirSync(folder).filter((name) => name.startsWith('started'));
    const script = join(folder, 'slow.mjs');
    writeFileSync(
      script,
      `import { existsSync, writeFileSync } from 'node:fs';
       process.argv.splice(1, 1);
       writeFileSync('started-' + process.pid, '');
       const look = setInterval(() => {
         if (!existsSync('go')) return;
         clearInterval(look);
         import(process.argv[1]);
       }, 10);`,
    );
    const slow = (name: string) => {
      const { command, args } = toolsServer(join(folder, `ledger-${name}`));
      return { command, args: [script, ...args], cwd: folder };
    };
    const names = ['a', 'b', 'c', 'd'];
    const { call } = trial(Object.fromEntries(names.map((name) => [name, slow(name)])));
    const all = Promise.all(names.map((name) => call(name, 'echo', { message: name })));
    await soon(() => expect(started()).toHaveLength(2));
    writeFileSync(join(folder, 'go'), '');
    expect((await all).map(textOf)).toEqual(names);
    expect(started()).toHaveLength(4);
  });

  test('a call tells which session it had, and how long it waited for it', async () => {
    const { call, waits } = pooled();
    const first = await call('tools', 'echo', { message: 'x' });
    const second = await call('tools', 'echo', { message: 'x' });
    expect(first.session).toEqual({ session: 'tools#1', waitedMs: waits[0] });
    expect(second.session).toEqual({ session: 'tools#1', waitedMs: 0 });
    expect(waits).toHaveLength(1);
  });
});

describe('sharing', () => {
  test('`shared`: all runs are on one session', async () => {
    const { pidFor } = pooled();
    expect(await pidFor('a')).toBe(await pidFor('b'));
  });

  test('`run`: a session belongs to one run, all its calls go there, and it ends with the run', async () => {
    const { pidFor, calls, status } = pooled({ scope: 'run' });
    const pids = await Promise.all(['a', 'b', 'a', 'b', 'a'].map(pidFor));
    expect(pids[0]).toBe(pids[2]);
    expect(pids[0]).toBe(pids[4]);
    expect(pids[1]).toBe(pids[3]);
    expect(pids[0]).not.toBe(pids[1]);
    expect(status()).toMatchObject([{ sessions: { open: 2 } }]);
    calls.release('a');
    await soon(() => expect(status()).toMatchObject([{ sessions: { open: 1 } }]));
    expect(await pidFor('b')).toBe(pids[1]);
  });

  test('`run`: no more runs at once than there may be sessions; the next waits until one ends', async () => {
    const { pidFor, calls, status } = pooled({ scope: 'run', sessions: 2 });
    await Promise.all([pidFor('a'), pidFor('b')]);
    const third = pidFor('c');
    await soon(() => expect(status()).toMatchObject([{ waiting: 1 }]));
    calls.release('a');
    expect(await third).toMatch(/^\d+$/);
    expect(status()).toMatchObject([{ waiting: 0 }]);
  });

  test('`call`: every call has a session of its own, and no more open at once than there may be', async () => {
    const { call, opened, status } = pooled({ scope: 'call', sessions: 3 });
    const file = join(newFolder(), 'go on');
    const asked = times(6, () => call('tools', 'held', { file }));
    await soon(() => expect(status()).toMatchObject([{ sessions: { open: 3, inFlight: 3, opening: 0 }, waiting: 3 }]));
    writeFileSync(file, '');
    await Promise.all(asked);
    expect(opened.filter((outcome) => outcome === 'ok')).toHaveLength(6);
    await soon(() => expect(status()).toMatchObject([{ sessions: { open: 0 } }]));
  });
});

describe('room', () => {
  test('no more calls are in flight on a session than may be, and the line is served in order', async () => {
    const { call, called } = pooled({ concurrency: 1 });
    const all = times(8, (at) => call('tools', 'slow', { ms: 4, steps: 1, at }));
    const done: number[] = [];
    await Promise.all(all.map((one, at) => one.then(() => done.push(at))));
    expect(done).toEqual(times(8, (at) => at));
    expect(called()).toHaveLength(8);
  });

  test('a second session is opened when the first in line has waited too long, and never more than may be', async () => {
    const { call, status } = pooled({ concurrency: 1, sessions: 2 }, { growAfterMs: 20 });
    const slow = times(6, () => call('tools', 'slow', { ms: 300, steps: 1 }));
    await soon(() => expect(status()).toMatchObject([{ sessions: { open: 2, inFlight: 2 } }]));
    await Promise.all(slow);
    expect(status()).toMatchObject([{ sessions: { open: 2 } }]);
  });

  test('the number of waiting calls is limited', async () => {
    const { call, failure, called } = pooled({ concurrency: 1 }, { waiters: 2 });
    const giveUp = new AbortController();
    const hanging = failure('tools', 'hang', {}, { signal: giveUp.signal });
    await soon(() => expect(called()).toEqual(['hang']));
    const waiting = times(2, () => call('tools', 'echo', { message: 'x' }));
    expect(await failure('tools', 'echo')).toMatchObject({ code: 'server-overloaded', delivery: 'unsent' });
    giveUp.abort();
    await hanging;
    expect((await Promise.all(waiting)).map(textOf)).toEqual(['x', 'x']);
  });

  test('a call that no session was free for in its time was not sent', async () => {
    const { failure, called } = pooled({ concurrency: 1 });
    const giveUp = new AbortController();
    const hanging = failure('tools', 'hang', {}, { signal: giveUp.signal });
    await soon(() => expect(called()).toEqual(['hang']));
    const late = await failure('tools', 'echo', { message: 'x' }, { timeout: { totalMs: 50 } });
    expect(late).toMatchObject({ code: 'timeout', delivery: 'unsent' });
    giveUp.abort();
    await hanging;
    expect(called()).toEqual(['hang']);
  });

  test('sixty-four at once, a thousand times, each gets its own answer', async () => {
    const { call, opened } = pooled();
    const answers: boolean[] = [];
    let next = 0;
    const loop = async (): Promise<void> => {
      while (next < 1_000) {
        const message = `message ${next++}`;
        answers.push(textOf(await call('tools', 'echo', { message })) === message);
      }
    };
    await Promise.all(times(64, loop));
    expect(answers.filter(Boolean)).toHaveLength(1_000);
    expect(opened).toEqual(['ok']);
  });
});

describe('the end of a session', () => {
  test('it was not used for long', async () => {
    const { call, status } = pooled({ idleTimeout: '50ms' });
    await call('tools', 'echo', { message: 'x' });
    expect(status()).toMatchObject([{ sessions: { open: 1 } }]);
    await soon(() => expect(status()).toMatchObject([{ state: 'idle', sessions: { open: 0 } }]));
    expect(textOf(await call('tools', 'echo', { message: 'again' }))).toBe('again');
  });

  test('it has served its number of calls: a new one takes over, and no caller waits', async () => {
    const { call, pidFor, opened, waits } = pooled({ maxCalls: 5 });
    const first = await pidFor('a');
    const slow = call('tools', 'slow', { ms: 300, steps: 1 });
    for (let at = 0; at < 3; at++) expect(await pidFor('a')).toBe(first);
    await soon(async () => expect(await pidFor('a')).not.toBe(first));
    expect(textOf(await slow)).toBe('done');
    await soon(() => expect(opened.filter((one) => one === 'closed')).not.toEqual([]));
    expect(waits).toHaveLength(1);
  });

  test('it has grown old: a new one takes over, and no caller waits', async () => {
    const { pidFor, opened, waits } = pooled({ maxAge: '20ms' });
    const first = await pidFor('a');
    await soon(async () => expect(await pidFor('a')).not.toBe(first));
    await soon(() => expect(opened).toContain('closed'));
    expect(waits).toHaveLength(1);
  });

  test('a call was given up and no ping comes back: no caller gets it', async () => {
    const { pidFor, failure } = pooled({}, { pingMs: 100 });
    const blocked = await pidFor('a');
    const given = await failure('tools', 'block', { ms: 3_000 }, { timeout: { idleMs: 50 } });
    expect(given).toMatchObject({ code: 'timeout', delivery: 'unknown' });
    expect(await pidFor('a')).not.toBe(blocked);
  });

  test('it was idle for long and does not answer a ping: no call is sent on it', async () => {
    const { pidFor, call, called } = pooled({}, { pingMs: 100, sleepMs: 0 });
    const asleep = await pidFor('a');
    process.kill(Number(asleep), 'SIGSTOP');
    const pid = await pidFor('a');
    expect(pid).not.toBe(asleep);
    await call('tools', 'write');
    expect(called().filter((tool) => tool === 'write')).toHaveLength(1);
  });
});

test('a changed secret is used once the old one has grown old, by a session of its own', async () => {
  let token = 'first-token';
  const ledger = newLedger();
  const server = { ...toolsServer(ledger), env: { TOKEN: '${secret:TOKEN}' } };
  const { call, status } = trial({ tools: server }, { secret: () => token, limits: { secretsMs: 0 } });
  const before = textOf(await call('tools', 'pid'));
  expect(textOf(await call('tools', 'pid'))).toBe(before);
  token = 'second-token';
  expect(textOf(await call('tools', 'pid'))).not.toBe(before);
  await soon(() => expect(status()).toMatchObject([{ sessions: { open: 1 } }]));
});

test('a call to a server that is not configured, or closed, fails at once', async () => {
  const { calls, close } = pooled();
  await expect(calls.getPrompt({ server: 'none', prompt: 'x', arguments: {} }, callContext())).rejects.toMatchObject({
    code: 'server-unknown',
  });
  await close();
  await expect(calls.callTool({ server: 'tools', tool: 'x', arguments: {} }, callContext())).rejects.toMatchObject({
    code: 'cancelled',
    delivery: 'unsent',
  });
});
