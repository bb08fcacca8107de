/** Servers that cannot be opened: what is said must be enough to mend it. */
import { brokenServer, startScriptedHttp } from '@baton/testing';
import { describe, expect, onTestFinished, test } from 'vitest';

import { soon, trial } from './trial.ts';

describe('a command', () => {
  test('that is not there', async () => {
    const { failure } = trial({ files: { command: 'no-such-command' }, path: { command: './no-such-file' } });
    expect((await failure('files', 'x')).message).toBe(
      'The server "files" (no-such-command) cannot be started: there is no program "no-such-command" on its PATH.',
    );
    expect((await failure('path', 'x')).message).toBe(
      'The server "path" (./no-such-file) cannot be started: there is no program "./no-such-file" at that path.',
    );
  });

  test('whose working directory is not there', async () => {
    const { failure } = trial({ files: { command: 'sh', cwd: 'no/such/folder' } });
    expect((await failure('files', 'x')).message).toBe(
      'The server "files" (sh) cannot be started: its working directory no/such/folder does not exist.',
    );
  });

  test('that exits at once: its command, its exit code, the end of its stderr', async () => {
    const { failure, status } = trial({ files: brokenServer('exits') });
    const failed = await failure('files', 'x');
    expect(failed.message).toMatch(
      /^The server "files" \(.*broken\.mjs exits\) ended with exit code 3 before it introduced itself\. Its stderr ends: cannot read the configuration$/,
    );
    expect(failed.failure.details).toMatchObject({
      exitCode: 3,
      signal: null,
      stderr: 'cannot read the configuration',
    });
    expect(failed).toMatchObject({ code: 'server-unreachable', delivery: 'unsent' });
    expect(status()[0]).toMatchObject({ state: 'failing', lastError: { message: failed.message } });
  });

  test('that prints rubbish: what it printed', async () => {
    const { failure } = trial({ files: { ...brokenServer('rubbish'), baton: { openTimeout: '300ms' } } });
    const failed = await failure('files', 'x');
    expect(failed.message).toMatch(
      /^The server "files" \(.*\) did not answer "initialize" within 300 ms\. It is still running, so there is no exit code\. It printed 2 lines on stdout that are no JSON-RPC messages; the first is: Welcome to the server! Its stderr ends: starting up$/,
    );
  });

  test('that never answers', async () => {
    const { failure } = trial({ files: { ...brokenServer('silent'), baton: { openTimeout: '300ms' } } });
    const failed = await failure('files', 'x');
    expect(failed.message).toMatch(
      /^The server "files" \(.*\) did not answer "initialize" within 300 ms\. It is still running, so there is no exit code\. Its stderr ends: I say nothing$/,
    );
  });

  test('what its arguments refer to is not shown', async () => {
    const secret = (): string => 'hunter2-hunter2';
    const args = ['-c', 'echo "the token is $0" >&2; exit 4', '${secret:TOKEN}'];
    const { failure } = trial({ files: { command: 'sh', args } }, { secret });
    const failed = await failure('files', 'x');
    expect(failed.message).toContain('${secret:TOKEN}) ended with exit code 4');
    expect(failed.message).toContain('the token is [secret]');
    expect(JSON.stringify(failed.failure)).not.toContain('hunter2');
  });
});

describe('an address', () => {
  test('that nothing listens at', async () => {
    const http = await startScriptedHttp();
    await http.close();
    const { failure } = trial({ remote: { url: http.url } });
    expect((await failure('remote', 'x')).message).toMatch(
      /^No session with "remote" \(http:\/\/127\.0\.0\.1:\d+\/mcp\) could be opened: connect ECONNREFUSED 127\.0\.0\.1:\d+\.$/,
    );
  });

  test.each([
    'http://10.0.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[64:ff9b::a00:1]/',
    'http://0.0.0.0/',
    'http://0xa.1/',
    'http://167772161/',
  ])('in a network that is none of our business: %s', async (url) => {
    const { failure } = trial({ remote: { url } }, { limits: { openMs: 2_000 } });
    const failed = await failure('remote', 'x');
    expect(failed).toMatchObject({ code: 'server-unreachable', delivery: 'unsent' });
    expect(failed.message).toContain('may not be connected to');
  });

  test.each(['http://127.0.0.1:9/', 'http://localhost:9/', 'http://[::1]:9/', 'http://127.1:9/'])(
    'on this machine, where the operator does not want that: %s',
    async (url) => {
      const addresses = { loopback: false, networks: [] };
      const { failure } = trial({ remote: { url } }, { addresses });
      expect((await failure('remote', 'x')).message).toContain('may not be connected to');
    },
  );

  test('in a network that the operator allows', async () => {
    const http = await startScriptedHttp();
    onTestFinished(() => http.close());
    const addresses = { loopback: false, networks: ['127.0.0.0/8'] };
    const { call } = trial({ remote: { url: http.url } }, { addresses });
    await expect(call('remote', 'json')).resolves.toBeDefined();
  });

  test('on this machine, by name', async () => {
    const http = await startScriptedHttp();
    onTestFinished(() => http.close());
    const { call } = trial({ remote: { url: http.url.replace('127.0.0.1', 'localhost') } });
    await expect(call('remote', 'json')).resolves.toBeDefined();
  });
});

test('a server that does not answer is left alone for a while, and tried again after it', async () => {
  const { failure, status, test: tryNow } = trial({ files: brokenServer('exits') });
  for (let at = 0; at < 5; at++) await failure('files', 'x');
  const refused = await failure('files', 'x');
  expect(refused).toMatchObject({ code: 'server-unreachable', delivery: 'unsent' });
  expect(refused.message).toMatch(/ended with exit code 3 .* failed repeatedly and is not tried for \d+ ms/);
  expect(refused.retryAfterMs).toBeGreaterThan(0);
  expect(status()[0]).toMatchObject({ state: 'resting' });
  await expect(tryNow('files')).rejects.toMatchObject({ code: 'server-unreachable' });
});

test('a server that dies of its first call, time and again, is left alone too', async () => {
  const { failure, status } = trial({ mortal: brokenServer('mortal') });
  for (let at = 0; at < 5; at++) expect(await failure('mortal', 'x')).toMatchObject({ code: 'connection-lost' });
  expect(await failure('mortal', 'x')).toMatchObject({ code: 'server-unreachable', delivery: 'unsent' });
  expect(status()[0]?.breaker.kind).toBe('open');
});

test('a server that closes its stdin is found out by the first call, and gets no second one', async () => {
  const { failure, status } = trial({ shut: brokenServer('shut') });
  expect(await failure('shut', 'x', {}, { timeout: { totalMs: 3_000 } })).toMatchObject({ delivery: 'unknown' });
  await soon(() => expect(status()[0]?.sessions.open).toBe(0));
});
