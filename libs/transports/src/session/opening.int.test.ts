/** Servers that cannot be opened: what is said must be enough to mend it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';

import { brokenServer, startScriptedHttp, soon } from '@baton/testing';
import { describe, expect, onTestFinished, test } from 'vitest';

import { introduction, json, listening, messageOf, rpc, text } from '../testing/testHttp.ts';
import { textOf, trial } from '../testing/testServers.ts';

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
    const { failure } = trial({ files: { ...brokenServer('rubbish'), baton: { openTimeout: '2s' } } });
    const failed = await failure('files', 'x');
    expect(failed.message).toMatch(
      /^The server "files" \(.*\) did not answer "initialize" within 2s\. It is still running, so there is no exit code\. Where it only needs longer, say so in mcp\.json: "baton": \{ "openTimeout": "10m" \}\. It printed 2 lines on stdout that are no JSON-RPC messages; the first is: Welcome to the server! Its stderr ends: starting up$/,
    );
  });

  test('that never answers', async () => {
    const { failure } = trial({ files: { ...brokenServer('silent'), baton: { openTimeout: '2s' } } });
    const failed = await failure('files', 'x');
    expect(failed.message).toMatch(
      /^The server "files" \(.*\) did not answer "initialize" within 2s\. It is still running, so there is no exit code\. Where it only needs longer, say so in mcp\.json: "baton": \{ "openTimeout": "10m" \}\. Its stderr ends: I say nothing$/,
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

  test('whose server takes connections later than it is probed is opened within its openTimeout', async () => {
    const http = await startScriptedHttp();
    onTestFinished(() => http.close());
    const { url, goOn } = await stoppedProxy(http.url);
    const { call } = trial({ remote: { url, baton: { openTimeout: '5m' } } });
    const answered = call('remote', 'json');
    // Later than the probe ends: until then nothing takes the connection.
    setTimeout(goOn, 6_000);
    await expect(answered).resolves.toBeDefined();
  });

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

describe('a secret', () => {
  test('that is not there: how it is set', async () => {
    const { failure } = trial({ files: { command: 'true', env: { TOKEN: '${secret:TOKEN}' } } });
    expect((await failure('files', 'x')).message).toBe(
      'The server "files" refers to "${secret:TOKEN}", and there is no such secret. Set it: baton secrets set TOKEN',
    );
  });

  test.each(['X-Api-Key', 'Authorization'])(
    'that the server turns away, in %s: what was sent; another value is used by the next try',
    async (header) => {
      const base = await listening((request, response) => {
        if (request.headers[header.toLowerCase()] !== 'right') response.writeHead(401).end('who are you?');
        else {
          void messageOf(request).then(({ id, method }) =>
            json(response, rpc(id, method === 'initialize' ? introduction('2025-06-18') : text('welcome'))),
          );
        }
      });
      let value = 'wrong';
      const store = { load: async () => undefined, save: async () => {} };
      const { call, failure } = trial(
        { remote: { type: 'http-plain', url: base, headers: { [header]: '${secret:KEY}' } } },
        { secret: () => value, oauth: { store } },
      );
      // More often than until it is left alone.
      for (let at = 0; at < 6; at++) {
        const failed = await failure('remote', 'greet');
        expect(failed.code).toBe('server-unauthorized');
        expect(failed.message).toContain(
          `Sent was the header "${header}", from \${secret:KEY}. Another value: baton secrets set KEY`,
        );
        expect(failed.message).not.toContain('wrong');
      }
      value = 'right';
      expect(textOf(await call('remote', 'greet'))).toBe('welcome');
    },
  );
});

describe('an address that has something else behind it', () => {
  const raw =
    (head: string) =>
    (_: unknown, { socket }: ServerResponse) =>
      void socket?.end(head);
  const page = '<!doctype html><title>Wiki</title><h1>Welcome to the wiki</h1>';

  test.each([
    [
      'a page',
      (_: unknown, response: ServerResponse) => void response.writeHead(200, { 'content-type': 'text/html' }).end(page),
    ],
    ['JSON that is no JSON-RPC', (_: unknown, response: ServerResponse) => json(response, { hello: 'world' })],
    ['nothing', (_: unknown, response: ServerResponse) => void response.writeHead(200).end()],
    [
      'a login for ever',
      (_: unknown, response: ServerResponse) =>
        void response.writeHead(401, { 'www-authenticate': 'Basic' }).end('log in'),
    ],
    ['a protocol of its own', raw('220 mail.example ESMTP\r\n')],
    [
      'a session id with a line end in it',
      raw('HTTP/1.1 200 OK\r\nmcp-session-id: a\u0001b\r\ncontent-length: 0\r\n\r\n'),
    ],
    ['headers without end', raw(`HTTP/1.1 200 OK\r\n${'x-more: more\r\n'.repeat(100_000)}`)],
  ])('%s: that is said, and nothing waits', async (_, handle) => {
    const url = await listening(handle);
    for (const type of ['http', 'http-plain', 'sse']) {
      const { failure } = trial({ wiki: { type, url } }, { limits: { openMs: 5_000 } });
      const failed = await failure('wiki', 'x');
      expect(failed).toMatchObject({ delivery: 'unsent' });
      expect(['server-unreachable', 'server-unauthorized']).toContain(failed.code);
      expect(failed.message).toContain('"wiki" (http');
      expect(failed.message).not.toContain('within 5s');
      expect(failed.message.length).toBeLessThan(1_000);
    }
  });
});

test('a page is told from a server by its type, and a stranger’s JSON by its form', async () => {
  const page = await listening((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome to the wiki</h1>');
  });
  const stranger = await listening((_, response) => json(response, { hello: 'world' }));
  const { failure } = trial({ page: { url: page }, stranger: { url: stranger } });
  expect((await failure('page', 'x')).message).toContain('text/html');
  expect((await failure('stranger', 'x')).message).toContain(
    'could be opened: the answer is no JSON-RPC message (application/json): {"hello":"world"}.',
  );
});

test('a server that does not answer is not tried for a while, and then tried again', async () => {
  const { failure, status, test: tryNow } = trial({ files: brokenServer('exits') });
  for (let at = 0; at < 5; at++) await failure('files', 'x');
  const refused = await failure('files', 'x');
  expect(refused).toMatchObject({ code: 'server-unreachable', delivery: 'unsent' });
  expect(refused.message).toMatch(/ended with exit code 3 .* failed repeatedly and is not tried for [\d.]+ m?s/);
  expect(refused.retryAfterMs).toBeGreaterThan(0);
  expect(status()[0]).toMatchObject({ state: 'resting' });
  await expect(tryNow('files')).rejects.toMatchObject({ code: 'server-unreachable' });
});

test('one call at a time tries a server that is away, and finds it when it is back', async () => {
  let isAway = true;
  let asked = 0;
  const url = await listening((request, response) => {
    asked += 1;
    if (isAway) request.socket.destroy();
    else if (request.method === 'POST') {
      void messageOf(request).then(({ id, method }) => {
        if (id === undefined) response.writeHead(202).end();
        else json(response, rpc(id, method === 'initialize' ? introduction('2025-11-25') : text('back')));
      });
    } else response.writeHead(405).end();
  });
  const { call, failure, status } = trial({ away: { url, baton: { protocol: 'legacy' } } });
  const persistent = async (): Promise<void> => {
    for (let at = 0; at < 20; at++) expect(await failure('away', 'x')).toMatchObject({ delivery: 'unsent' });
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: 50 }, persistent));
  // Five until it is left alone; then one after a pause, each longer than the one before.
  const pauses = Math.log2(1 + (performance.now() - begun) / (0.25 * 500));
  expect(asked).toBeLessThanOrEqual(5 + 1 + pauses);
  expect(status()).toMatchObject([{ state: 'resting', breaker: { kind: 'open' } }]);
  isAway = false;
  await soon(async () => expect(textOf(await call('away', 'x'))).toBe('back'));
  expect(status()).toMatchObject([{ state: 'ready', breaker: { kind: 'closed', failures: 0 } }]);
});

test('a server that dies of each first call is not tried for a while, either', async () => {
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

const passesOn = `const [port] = process.argv.slice(1);
const { connect, createServer } = require('node:net');
const pass = (one) => { const other = connect(Number(port), '127.0.0.1'); one.pipe(other).pipe(one);
  for (const end of [one, other]) end.on('error', () => { one.destroy(); other.destroy(); }); };
const server = createServer(pass).listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port));`;

/** A process before a server that is stopped, and whose place for connections that wait is full: it takes none. */
async function stoppedProxy(address: string): Promise<{ readonly url: string; readonly goOn: () => void }> {
  const url = new URL(address);
  const child = spawn(process.execPath, ['-e', passesOn, url.port], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [told] = (await once(child.stdout, 'data')) as [Buffer];
  url.port = told.toString('utf8').trim();
  child.kill('SIGSTOP');
  const waiting = Array.from({ length: 4 }, () => connect(Number(url.port), '127.0.0.1'));
  for (const one of waiting) one.on('error', () => undefined);
  await Promise.all(waiting.slice(0, 2).map((one) => once(one, 'connect')));
  const goOn = (): void => {
    for (const one of waiting) one.destroy();
    child.kill('SIGCONT');
  };
  return { url: url.href, goOn };
}
