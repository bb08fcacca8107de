/** The real servers of the MCP project, over stdio and Streamable HTTP. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { freePort } from '@baton/boot';
import { describe, expect, onTestFinished, test } from 'vitest';

import { asked, newFolder, soon, textOf, trial } from './trial.ts';

const entryOf = (server: string): string =>
  createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${server}/dist/index.js`);

const stdio = (server: string, ...args: string[]) => ({ command: process.execPath, args: [entryOf(server), ...args] });

/** On a port of its choice; started again there with the same. */
async function everythingOverHttp(port: number): Promise<{ readonly url: string; kill(): Promise<void> }> {
  const env = { PATH: process.env['PATH'], PORT: String(port) };
  const child = spawn(process.execPath, [entryOf('everything'), 'streamableHttp'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const chunk of child.stderr) if (/listening/i.test(String(chunk))) break;
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  onTestFinished(kill);
  return { url: `http://127.0.0.1:${port}/mcp`, kill };
}

describe.each(['stdio', 'http'] as const)('server-everything over %s', (how) => {
  const everything = async () =>
    trial({
      every:
        how === 'stdio' ? stdio('everything') : { type: 'http', url: (await everythingOverHttp(await freePort())).url },
    });

  test('tools, structured content, prompts, resources and templates', async () => {
    const { call, calls } = await everything();
    expect(textOf(await call('every', 'echo', { message: 'hi' }))).toBe('Echo: hi');
    const structured = await call('every', 'get-structured-content', { location: 'Chicago' });
    expect(structured.result['structuredContent']).toMatchObject({ conditions: expect.any(String) as string });
    const prompt = await calls.getPrompt(
      { server: 'every', prompt: 'args-prompt', arguments: { city: 'Paris' } },
      asked(),
    );
    expect(JSON.stringify(prompt.result['messages'])).toContain('Paris');
    const uri = 'demo://resource/dynamic/text/{id}';
    const resource = await calls.readResource({ server: 'every', uri, arguments: { id: 7 } }, asked());
    expect(resource.result['contents']).toMatchObject([{ uri: 'demo://resource/dynamic/text/7' }]);
  });

  test('progress, and every step of it', async () => {
    const { call } = await everything();
    const heard: unknown[] = [];
    const onProgress = (progress: unknown): void => void heard.push(progress);
    const args = { duration: 0.2, steps: 4 };
    await call('every', 'trigger-long-running-operation', args, { onProgress, timeout: { idleMs: 5_000 } });
    expect(heard).toEqual([1, 2, 3, 4].map((progress) => ({ progress, total: 4 })));
  });

  test('cancelling reaches it', async () => {
    const { failure, call } = await everything();
    await call('every', 'echo', { message: 'open' });
    const stop = new AbortController();
    const onProgress = (): void => stop.abort('enough');
    const args = { duration: 60, steps: 600 };
    const failed = failure('every', 'trigger-long-running-operation', args, { signal: stop.signal, onProgress });
    expect(await failed).toMatchObject({ code: 'cancelled', delivery: 'unknown' });
    expect(textOf(await call('every', 'echo', { message: 'still here' }))).toBe('Echo: still here');
  });

  test('what it turns away is told from what fails', async () => {
    const { failure, calls } = await everything();
    expect(await failure('every', 'no-such-tool')).toMatchObject({ code: 'tool-not-found', delivery: 'rejected' });
    expect(await failure('every', 'get-sum', { a: 'x' })).toMatchObject({
      code: 'invalid-arguments',
      delivery: 'rejected',
    });
    const prompt = calls.getPrompt({ server: 'every', prompt: 'none', arguments: {} }, asked());
    await expect(prompt).rejects.toMatchObject({ code: 'tool-not-found', delivery: 'rejected' });
    const resource = calls.readResource({ server: 'every', uri: 'demo://nope', arguments: {} }, asked());
    await expect(resource).rejects.toMatchObject({ delivery: 'rejected' });
  });

  test('its catalogue and its state', async () => {
    const { catalogue, status } = await everything();
    const { tools, prompts, resources, resourceTemplates, problems } = await catalogue('every');
    expect(tools.map(({ name }) => name)).toContain('echo');
    expect(prompts.map(({ name }) => name)).toContain('args-prompt');
    expect(resources.length).toBeGreaterThan(0);
    expect(resourceTemplates.length).toBeGreaterThan(0);
    expect(problems).toEqual([]);
    expect(status()).toMatchObject([
      { state: 'ready', protocolVersion: '2025-11-25', server: { version: expect.any(String) as string } },
    ]);
  });
});

test('server-filesystem reads what is there and refuses what is not allowed', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'a.txt'), 'hello');
  const { call, failure, catalogue } = trial({ files: stdio('filesystem', folder) });
  expect(textOf(await call('files', 'read_text_file', { path: join(folder, 'a.txt') }))).toBe('hello');
  expect(await failure('files', 'read_text_file', { path: '/etc/passwd' })).toMatchObject({
    code: 'tool-failed',
    delivery: 'answered',
  });
  const { tools } = await catalogue('files');
  expect(tools.find(({ name }) => name === 'read_text_file')?.annotations).toMatchObject({ readOnlyHint: true });
});

test('server-memory remembers from one run to the next', async () => {
  const file = join(newFolder(), 'memory.json');
  const { call } = trial({ memory: { ...stdio('memory'), env: { MEMORY_FILE_PATH: file } } });
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote the first program'] }];
  await call('memory', 'create_entities', { entities }, { runId: 'one' });
  const { result } = await call('memory', 'read_graph', {}, { runId: 'two' });
  expect(result['structuredContent']).toMatchObject({ entities: [{ name: 'Ada' }] });
});

test('an HTTP server that is restarted in the middle is found again, and nothing is called twice', async () => {
  const port = await freePort();
  const first = await everythingOverHttp(port);
  const { call, failure } = trial({ every: { url: first.url } }, { limits: { pingMs: 500 } });
  expect(textOf(await call('every', 'echo', { message: 'one' }))).toBe('Echo: one');
  await first.kill();
  await soon(async () => {
    expect(await failure('every', 'echo', { message: 'two' })).toMatchObject({ delivery: 'unsent' });
  });
  await everythingOverHttp(port);
  await soon(async () => expect(textOf(await call('every', 'echo', { message: 'three' }))).toBe('Echo: three'));
});
