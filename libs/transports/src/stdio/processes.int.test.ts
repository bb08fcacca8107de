/** Servers as processes: what they are given, and that nothing of them is left. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { markVariable } from '@baton/protocol';
import { brokenBehindShell, brokenServer, helloServer, toolsServer, soon } from '@baton/testing';
import { describe, expect, onTestFinished, test } from 'vitest';

import { environment, newFolder, newLedger, textOf, trial } from '../testing/testServers.ts';
import { findGuard } from './guard.ts';

let marks = 0;
const newMark = (): string => `test-${process.pid}-${++marks}`;

/** Living processes, zombies not counted, that carry the mark. */
const marked = (mark: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const isMarked = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`${markVariable}=${mark}`);
        return isMarked && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
      } catch {
        return false;
      }
    });

describe('what a server is given', () => {
  test('an environment of its own: what programs need, what its configuration says, and its mark', async () => {
    const mark = newMark();
    const server = {
      ...toolsServer(newLedger()),
      env: { TOKEN: '${env:OURS}', NODE_OPTIONS: '--inspect', PLAIN: 'x' },
    };
    const network = {
      NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt',
      HTTPS_PROXY: 'http://proxy.example:8080',
      no_proxy: 'localhost',
    };
    const { call } = trial({ tools: server }, { mark, environment: { ...environment, ...network } });
    const given = JSON.parse(textOf(await call('tools', 'environment'))) as Record<string, string>;
    expect(given).toEqual({
      PATH: environment.PATH,
      HOME: environment.HOME,
      LANG: environment.LANG,
      PLAIN: 'x',
      ...network,
      // Looked up, and taken out of what comes back.
      TOKEN: '[secret]',
      [markVariable]: mark,
    });
  });

  test('its working directory, relative to the folder of the configuration', async () => {
    const root = newFolder();
    const { call } = trial(
      { tools: toolsServer(newLedger()), there: { ...toolsServer(newLedger()), cwd: '..' } },
      { root },
    );
    expect(textOf(await call('tools', 'where'))).toBe(root);
    expect(textOf(await call('there', 'where'))).toBe(join(root, '..'));
  });

  test('no shell: an argument is an argument', async () => {
    const ledger = newLedger();
    const { command, args } = toolsServer(ledger);
    const { call } = trial({ tools: { command, args: [...args, '$(touch x)', '; exit 1', '"'] } });
    expect(textOf(await call('tools', 'echo', { message: 'fine' }))).toBe('fine');
  });

  test('a reader for its stderr: a flood of it blocks no call, and the end is kept', async () => {
    const { call, failure } = trial({ tools: toolsServer(newLedger()) });
    const before = process.memoryUsage().rss;
    expect(textOf(await call('tools', 'stderr', { bytes: 300e6 }))).toBe('done');
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
    expect((await failure('tools', 'crash')).message).toMatch(/…e+\nthe last words\nabout to crash$/);
  });
});

describe('closing leaves nothing', () => {
  test.each([
    ['a server that minds neither its stdin nor SIGTERM', brokenServer('stubborn')],
    ['the same behind a shell', brokenBehindShell('stubborn')],
    ['the same behind a wrapper that goes first', brokenServer('wrapped')],
  ])('%s', async (_, server) => {
    const mark = newMark();
    const { call, close } = trial({ server }, { mark });
    const pid = Number(textOf(await call('server', 'pid')));
    expect(marked(mark)).toContain(pid);
    await close();
    expect(marked(mark)).toEqual([]);
  });

  test('a server that ends with its stdin gets no signal', async () => {
    const folder = newFolder();
    const { command, args } = toolsServer(join(folder, 'ledger'));
    const script = join(folder, 'polite.mjs');
    writeFileSync(
      script,
      `import { writeFileSync } from 'node:fs';
       process.argv.splice(1, 1);
       process.on('SIGTERM', () => writeFileSync('asked', ''));
       process.on('exit', () => writeFileSync('ended', ''));
       import(process.argv[1]);`,
    );
    const { call, close } = trial({ polite: { command, args: [script, ...args], cwd: folder } });
    await call('polite', 'echo', { message: 'x' });
    await close();
    expect(readdirSync(folder).toSorted()).toEqual(['ended', 'ledger', 'polite.mjs']);
  });

  test('a server that was still being opened', async () => {
    const mark = newMark();
    const { failure, close } = trial({ silent: brokenServer('silent') }, { mark });
    const failed = failure('silent', 'x');
    await soon(() => expect(marked(mark)).toHaveLength(1));
    await close();
    expect(marked(mark)).toEqual([]);
    expect(await failed).toMatchObject({ code: 'cancelled', delivery: 'unsent' });
  });

  test('a call in flight fails', async () => {
    const ledger = newLedger();
    const { failure, close } = trial({ tools: toolsServer(ledger) });
    const failed = failure('tools', 'hang');
    await soon(() => expect(readFileSync(ledger, 'utf8')).toContain('hang'));
    await close();
    expect(await failed).toMatchObject({ code: 'connection-lost', delivery: 'unknown' });
  });

  test('a wrapper that dies takes its server with it', async () => {
    const mark = newMark();
    const { call, status } = trial({ server: brokenServer('wrapped') }, { mark });
    const server = Number(textOf(await call('server', 'pid')));
    const wrapper = marked(mark).find((pid) => pid !== server);
    process.kill(wrapper ?? 0, 'SIGKILL');
    await soon(() => expect(marked(mark)).toEqual([]));
    await soon(() => expect(status()[0]?.sessions.open).toBe(0));
  });
});

/**
 * Goal: opening and closing is not felt, however often.
 * Method: two hundred times over, each kind of end at least ten times among them; then the same counts as after a
 * first round: not one more is allowed, so that what is left behind once in twenty times shows.
 */
test('two hundred opens and closes leave no process, descriptor or listener more than before', async () => {
  const mark = newMark();
  const servers = { hello: helloServer, tools: toolsServer(newLedger()), exits: brokenServer('exits') };
  const round = async (at: number): Promise<void> => {
    const { call, failure, close } = trial(servers, { mark });
    if (at % 20 === 0) await failure('exits', 'x');
    if (at % 10 === 0) await failure('tools', 'crash');
    else if (at % 5 === 0) await call('tools', 'echo', { message: String(at) });
    else await call('hello', 'hello');
    await close();
  };
  const counts = () => ({
    processes: marked(mark).length,
    descriptors: readdirSync('/proc/self/fd').length,
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
    handles: process.getActiveResourcesInfo().filter((name) => name !== 'Timeout').length,
  });
  for (let at = 0; at < 8; at++) await round(at);
  const before = counts();
  for (let at = 0; at < 200; at += 8) await Promise.all(Array.from({ length: 8 }, (_, by) => round(at + by)));
  await soon(() => {
    const { processes, descriptors, listeners, handles } = counts();
    expect(processes).toBe(0);
    expect(descriptors).toBeLessThanOrEqual(before.descriptors);
    expect(listeners).toBeLessThanOrEqual(before.listeners);
    expect(handles).toBeLessThanOrEqual(before.handles);
  });
}, 300_000);

test('a worker that is killed takes its servers with it, where the machine has setpriv', async ({ skip }) => {
  if ((await findGuard(environment.PATH)).length === 0) skip('there is no setpriv with --pdeathsig');
  const mark = newMark();
  const script = `
    import { openServers } from ${JSON.stringify(new URL('../index.ts', import.meta.url).href)};
    import { readServers } from ${JSON.stringify(new URL('../../../protocol/src/index.ts', import.meta.url).href)};
    const { config } = readServers(${JSON.stringify(JSON.stringify({ mcpServers: { stubborn: brokenServer('stubborn') } }))});
    const options = { environment: { PATH: ${JSON.stringify(environment.PATH)} }, secret: () => undefined };
    const { calls } = openServers(config, { ...options, root: '.', version: '0', mark: ${JSON.stringify(mark)} });
    const context = { runId: 'r', attemptKey: 'a', signal: new AbortController().signal, timeout: {}, onProgress() {} };
    await calls.callTool({ server: 'stubborn', tool: 'pid', arguments: {} }, context);
    console.log('open');
  `;
  const worker = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void worker.kill('SIGKILL'));
  await once(worker.stdout, 'data');
  expect(marked(mark)).toHaveLength(1);
  worker.kill('SIGKILL');
  await soon(() => expect(marked(mark)).toEqual([]));
});
