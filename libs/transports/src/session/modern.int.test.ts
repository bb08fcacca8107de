/** A server of 2026-07-28: no session, answers that ask for more, and a stream of what changes. */
import { fileURLToPath } from 'node:url';

import { soon } from '@baton/testing';
import { describe, expect, test, vi } from 'vitest';

import { modernTrial } from '../testing/testModern.ts';
import { textOf, trial } from '../testing/testServers.ts';
import type { ServerRequest, Handlers, ServerLog } from './handlers.ts';
import type { ResourceUpdate } from './subscriptions.ts';

async function modern(baton: object = {}, handlers: Handlers = {}, onCatalogueChanged = (): void => {}) {
  const server = await modernTrial();
  return { ...trial({ modern: { url: server.url, baton } }, { handlers, onCatalogueChanged }), server };
}

test('is found out, and called without a session', async () => {
  const { call, catalogue, failure, status, server } = await modern();
  expect(textOf(await call('modern', 'echo', { message: 'hi' }))).toBe('hi');
  expect(status()).toMatchObject([{ protocolVersion: '2026-07-28', era: 'modern', server: { name: 'modern' } }]);
  expect((await catalogue('modern')).tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['echo', 'hang']));
  expect(await failure('modern', 'nothing')).toMatchObject({ code: 'tool-not-found', delivery: 'rejected' });
  const called = server.headers.find((headers) => headers['mcp-method'] === 'tools/call');
  expect(called).toMatchObject({ 'mcp-name': 'echo', 'mcp-protocol-version': '2026-07-28' });
  expect(called).not.toHaveProperty('mcp-session-id');
});

test('learns of a cancelled call by the end of its stream', async () => {
  const { failure, call, server } = await modern();
  await call('modern', 'echo', { message: 'open' });
  const failed = await failure('modern', 'hang', {}, { timeout: { totalMs: 200 } });
  expect(failed).toMatchObject({ code: 'timeout', delivery: 'unknown' });
  await soon(() => expect(server.heard).toEqual(['abort']));
});

test.each([
  ['auto', '2026-07-28', 'modern'],
  ['legacy', '2025-11-25', 'legacy'],
])('over stdio, asked for %s, it speaks %s, and is answered what it asks', async (protocol, protocolVersion, era) => {
  const script = fileURLToPath(new URL('../testing/matrix/modernServer.mjs', import.meta.url));
  const entry = { command: process.execPath, args: [script], baton: { protocol, elicitation: 'ask' } };
  const elicitation: Handlers['elicitation'] = async () => ({ action: 'accept', content: { name: 'Ada' } });
  const { call, status } = trial({ modern: entry }, { handlers: { elicitation } });
  expect(textOf(await call('modern', 'ask-person'))).toContain('Ada');
  expect(status()).toMatchObject([{ protocolVersion, era }]);
});

describe('an answer that asks for more', () => {
  const sampled = { role: 'assistant', content: { type: 'text', text: 'an idea' }, model: 'none' };

  test('is answered by the handlers, which are told the run, and asked again with its state', async () => {
    const asked: ServerRequest[] = [];
    const handlers: Handlers = {
      sampling: async (_, by) => {
        asked.push(by);
        return sampled;
      },
      elicitation: async () => ({ action: 'accept', content: { name: 'Ada' } }),
    };
    const { call } = await modern({ sampling: 'allow', elicitation: 'ask' }, handlers);
    const said = textOf(await call('modern', 'ask', {}, { runId: 'run-7' }));
    expect(JSON.parse(said)).toMatchObject({ who: { action: 'accept', content: { name: 'Ada' } }, state: 'round-1' });
    expect(said).toContain('an idea');
    expect(asked).toMatchObject([{ server: 'modern', runs: ['run-7'], policy: 'allow' }]);
  });

  test('the time that it takes us to answer is not the server’s', async () => {
    const handlers: Handlers = {
      sampling: () => new Promise((resolve) => setTimeout(() => resolve(sampled), 1_600)),
      elicitation: async () => ({ action: 'decline' }),
    };
    const { call } = await modern({ sampling: 'ask', elicitation: 'ask' }, handlers);
    await call('modern', 'echo', { message: 'open' });
    expect(textOf(await call('modern', 'ask', {}, { timeout: { totalMs: 1_500 } }))).toContain('an idea');
  });

  test('is refused by name where the operator does not allow it', async () => {
    const { failure, server } = await modern({ sampling: 'allow' }, { sampling: async () => sampled });
    const failed = await failure('modern', 'ask');
    // The server's SDK looks at what was declared before it asks.
    expect(failed).toMatchObject({ code: 'server-rejected' });
    expect(server.heard).toEqual(['ask']);
  });

  test('only asks for a repetition: the request is repeated', async () => {
    const { call, server } = await modern();
    expect(textOf(await call('modern', 'later'))).toBe('now');
    expect(server.heard).toEqual(['later', 'later']);
  });

  test('never stops asking: the call fails', async () => {
    const { failure } = await modern({ elicitation: 'ask' }, { elicitation: async () => ({ action: 'cancel' }) });
    expect(await failure('modern', 'insatiable')).toMatchObject({ code: 'invalid-result', delivery: 'answered' });
  });
});

test('what it reports is cleaned and handed on', async () => {
  const logs: ServerLog[] = [];
  const { call } = await modern({ logLevel: 'warning' }, { log: (entry) => logs.push(entry) });
  await call('modern', 'log');
  await soon(() =>
    expect(logs).toMatchObject([{ server: 'modern', level: 'warning', logger: 'disk', message: 'full' }]),
  );
});

describe('the stream of what changes', () => {
  test('a list that changed is read again', async () => {
    const changed = vi.fn();
    const { catalogue, server } = await modern({}, {}, changed);
    const before = await catalogue('modern');
    await soon(() => {
      server.handler.notify.toolsChanged();
      expect(changed).toHaveBeenCalled();
    });
    expect(await catalogue('modern')).not.toBe(before);
  });

  test('a resource is heard of, and after a break again, with word that something may have been missed', async () => {
    const { subscribe, server } = await modern();
    const updates: ResourceUpdate[] = [];
    const { close } = await subscribe('modern', 'file:///a', (update) => updates.push(update));
    server.handler.notify.resourceUpdated('file:///b');
    server.handler.notify.resourceUpdated('file:///a');
    await soon(() => expect(updates).toEqual([{ uri: 'file:///a', isGap: false }]));
    server.cut();
    await soon(() => expect(updates).toContainEqual({ uri: 'file:///a', isGap: true }));
    server.handler.notify.resourceUpdated('file:///a');
    await soon(() => expect(updates.at(-1)).toEqual({ uri: 'file:///a', isGap: false }));
    close();
  });
});
