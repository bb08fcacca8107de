/**
 * The revisions between the matrix' columns: servers made with the SDKs of their time, which speak nothing newer. What
 * they offer and ask is what the matrix asks of the others.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { callContext, soon } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import type { Handlers, ServerLog } from '../../session/handlers.ts';
import type { ResourceUpdate } from '../../session/subscriptions.ts';
import { openTrial, textOf, trial, type TestServers } from '../testServers.ts';

const script = fileURLToPath(new URL('oldServer.mjs', import.meta.url));

interface OpenedServer {
  /** As an entry of `mcp.json`. */
  readonly entry: object;
  close(): Promise<void>;
}

async function opened(revision: string, way: string): Promise<OpenedServer> {
  const args = [script, revision, way];
  if (way === 'stdio') return { entry: { command: process.execPath, args }, close: async () => {} };
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    entry: { url: String(url).trim() },
    async close() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

const kinds = ['2025-03-26', '2025-06-18'].flatMap((revision) => ['stdio', 'http'].map((way) => ({ revision, way })));

describe.each(kinds)('a server of $revision over $way', ({ revision, way }) => {
  let server: OpenedServer;
  let it: TestServers;
  const open = (baton: object, handlers: Handlers): TestServers =>
    trial({ it: { ...server.entry, baton } }, { handlers, limits: { graceMs: 200 } });

  beforeAll(async () => {
    server = await opened(revision, way);
    it = openTrial({ it: server.entry });
  });

  afterAll(async () => {
    await it.close();
    await server.close();
  });

  test('its revision is the newest that it has, and the verdict is kept', async () => {
    await it.catalogue('it');
    expect(it.status()).toMatchObject([{ protocolVersion: revision, era: 'legacy', server: { version: revision } }]);
  });

  test('tools: listed page by page, called, failing, not there', async () => {
    const { tools, problems } = await it.catalogue('it');
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['echo', 'askRoots']));
    expect(tools.find(({ name }) => name === 'echo')?.annotations).toMatchObject({ readOnlyHint: true });
    expect(problems).toEqual([]);
    expect(textOf(await it.call('it', 'echo', { message: 'hi' }))).toBe('hi');
    expect(await it.failure('it', 'fail')).toMatchObject({ code: 'tool-failed', message: 'it is broken' });
    expect(await it.failure('it', 'nothing')).toMatchObject({ code: 'tool-not-found', delivery: 'rejected' });
  });

  test('structured output, images, audio, embedded resources', async () => {
    expect((await it.call('it', 'weather')).result['structuredContent']).toEqual({ degrees: 21 });
    const { content } = (await it.call('it', 'media')).result as { content: { type: string }[] };
    expect(content.map(({ type }) => type)).toEqual(['image', 'audio', 'resource']);
  });

  test('prompts, resources, templates, completion', async () => {
    const { prompts, resources, resourceTemplates } = await it.catalogue('it');
    expect([prompts, resources, resourceTemplates].map(({ length }) => length)).toEqual([1, 1, 1]);
    const prompt = await it.calls.getPrompt(
      { server: 'it', prompt: 'visit', arguments: { city: 'Rome' } },
      callContext(),
    );
    expect(JSON.stringify(prompt.result)).toContain('Visit Rome');
    const read = await it.calls.readResource({ server: 'it', uri: 'note://{id}', arguments: { id: 7 } }, callContext());
    expect(read.result).toMatchObject({ contents: [{ text: 'this is note://7' }] });
    const found = await it.complete('it', { of: { prompt: 'visit' }, argument: 'city', value: 'P' });
    expect(found.values).toEqual(['Paris', 'Prague']);
  });

  test('progress, and every step of it', async () => {
    const heard: unknown[] = [];
    await it.call('it', 'count', {}, { onProgress: (one) => heard.push(one) });
    expect(heard).toEqual([1, 2].map((progress) => ({ progress, total: 2 })));
  });

  test('a call that is stopped is stopped there', async () => {
    const before = Number(textOf(await it.call('it', 'cancelled')));
    const failed = await it.failure('it', 'hang', {}, { timeout: { totalMs: 200 } });
    expect(failed).toMatchObject({ code: 'timeout', delivery: 'unknown' });
    await soon(async () => expect(Number(textOf(await it.call('it', 'cancelled')))).toBe(before + 1));
  });

  test('ping: a session that has slept is asked, and used again', async () => {
    const slept = trial({ it: server.entry }, { limits: { sleepMs: 0 } });
    const first = await slept.call('it', 'echo', { message: 'a' });
    const second = await slept.call('it', 'echo', { message: 'b' });
    expect(second.session?.session).toBe(first.session?.session);
  });

  test('subscriptions and logging', async () => {
    const logs: ServerLog[] = [];
    const told = open({ logLevel: 'warning' }, { log: (entry) => logs.push(entry) });
    const updates: ResourceUpdate[] = [];
    const { close } = await told.subscribe('it', 'file:///a', (update) => updates.push(update));
    onTestFinished(close);
    await soon(async () => {
      await told.call('it', 'touch', { uri: 'file:///a' });
      expect(updates).toContainEqual({ uri: 'file:///a', isGap: false });
    });
    await told.call('it', 'log');
    await soon(() => expect(logs).toMatchObject([{ level: 'warning', logger: 'disk', message: 'full' }]));
  });

  test('it asks a model, and for roots', async () => {
    const answer = { role: 'assistant', content: { type: 'text', text: 'indeed' }, model: 'm' };
    const asking = open({ sampling: 'allow', roots: ['data'] }, { sampling: async () => answer });
    await soon(async () => expect(textOf(await asking.call('it', 'askModel'))).toContain('indeed'));
    expect(textOf(await asking.call('it', 'askRoots'))).toContain('/data');
  });

  // Elicitation came with 2025-06-18.
  if (revision < '2025-06-18') return;
  test('it asks a person', async () => {
    const elicitation: Handlers['elicitation'] = async () => ({ action: 'accept', content: { name: 'Ada' } });
    const asking = open({ elicitation: 'ask' }, { elicitation });
    await soon(async () => expect(textOf(await asking.call('it', 'askPerson'))).toContain('Ada'));
  });
});
