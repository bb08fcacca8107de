/** Resources with subscribers, before 2026-07-28. */
import type { FailureError } from '@baton/engine';
import { soon } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { rpc } from '../testing/testHttp.ts';
import { trial } from '../testing/testServers.ts';
import { sseTrial } from '../testing/testSse.ts';
import type { ResourceUpdate } from './subscriptions.ts';

const offered = { resources: { subscribe: true } };

/** `refused`: this resource does not exist there. */
async function library(scope: string, refused?: string) {
  const server = await sseTrial(({ id, method, params }, peer) => {
    if (id === undefined) return;
    const error = { jsonrpc: '2.0', id, error: { code: -32002, message: 'Resource not found' } };
    peer.say(method === 'resources/subscribe' && params?.['uri'] === refused ? error : rpc(id, {}));
  }, offered);
  const updates: ResourceUpdate[] = [];
  const servers = trial({ library: { ...server.entry, baton: { scope } } }, { limits: { idleMs: 50, pingMs: 5_000 } });
  const heard = (method: string): unknown[] =>
    server.heard.filter((message) => message.method === method).map(({ params }) => params?.['uri']);
  const tell = (uri: string): void =>
    server.peers.at(-1)?.say({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } });
  const subscribe = (uri: string) => servers.subscribe('library', uri, (update) => updates.push(update));
  return { ...servers, server, updates, heard, tell, subscribe };
}

describe.each(['shared', 'run', 'call'])('with sessions of scope %s', (scope) => {
  test('an update is told, of the resource and of what is below it, and of nothing else', async () => {
    const { subscribe, tell, updates } = await library(scope);
    await subscribe('file:///a');
    for (const uri of ['file:///ab', 'file:///a/b', 'file:///a']) tell(uri);
    await soon(() => expect(updates.at(-1)?.uri).toBe('file:///a'));
    expect(updates).toEqual([
      { uri: 'file:///a/b', isGap: false },
      { uri: 'file:///a', isGap: false },
    ]);
  });

  test('a session that breaks is followed by another, with word that something may have been missed', async () => {
    const { subscribe, tell, updates, server, heard } = await library(scope);
    await subscribe('file:///a');
    server.peers.at(-1)?.cut();
    await soon(() => expect(updates).toEqual([{ uri: 'file:///a', isGap: true }]));
    tell('file:///a');
    await soon(() => expect(updates).toHaveLength(2));
    expect(heard('resources/subscribe')).toEqual(['file:///a', 'file:///a']);
    expect(server.peers).toHaveLength(2);
  });

  test('the session is kept while there is a listener, and let go after', async () => {
    const { subscribe, status, heard } = await library(scope);
    const { close } = await subscribe('file:///a');
    const second = await subscribe('file:///b');
    close();
    await soon(() => expect(heard('resources/unsubscribe')).toEqual(['file:///a']));
    expect(status()).toMatchObject([{ sessions: { open: 1 } }]);
    second.close();
    await soon(() => expect(status()).toMatchObject([{ sessions: { open: 0 } }]));
  });
});

test('two subscribers of one resource are both notified, and the server is asked once', async () => {
  const { subscribe, tell, updates, heard } = await library('shared');
  const [first] = await Promise.all([subscribe('file:///a'), subscribe('file:///a')]);
  tell('file:///a');
  await soon(() => expect(updates).toHaveLength(2));
  first?.close();
  tell('file:///a');
  await soon(() => expect(updates).toHaveLength(3));
  expect(heard('resources/subscribe')).toEqual(['file:///a']);
});

test('a refused subscription fails, and the others continue', async () => {
  const { subscribe, tell, updates } = await library('shared', 'file:///none');
  await subscribe('file:///a');
  await expect(subscribe('file:///none')).rejects.toMatchObject({
    code: 'tool-not-found',
    failure: { details: { code: -32002 } },
  });
  tell('file:///a');
  await soon(() => expect(updates).toHaveLength(1));
});

test('a server that does not offer it is not asked', async () => {
  const { entry, heard } = await sseTrial(() => {}, { resources: {} });
  const { subscribe } = trial({ library: entry });
  await expect(subscribe('library', 'file:///a', () => {})).rejects.toMatchObject({ code: 'server-rejected' });
  expect(heard.map(({ method }) => method)).not.toContain('resources/subscribe');
});

test('an unreachable server is tried again until the subscription is closed', async () => {
  const { subscribe, close, status } = trial({ none: { type: 'sse', url: 'http://127.0.0.1:1/sse' } });
  const subscribed = subscribe('none', 'file:///a', () => {}).catch((error: FailureError) => error.code);
  await soon(() => expect(status()[0]?.breaker.failures).toBeGreaterThan(1));
  await close();
  expect(await subscribed).toBe('cancelled');
});
