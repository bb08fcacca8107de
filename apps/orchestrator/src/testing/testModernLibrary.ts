/** For tests: the same library as a server of 2026-07-28, made with the SDK: no session, one stream of what changes. */
import { once } from 'node:events';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { json } from 'node:stream/consumers';

import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

import { type TestLibrary, uri } from './testLibrary.ts';

export async function testModernLibrary(): Promise<TestLibrary> {
  const sockets = new Set<Socket>();
  let subscribed = 0;
  let reads = 0;
  const handler = createMcpHandler(
    () => {
      const options = { capabilities: { resources: { subscribe: true } } };
      const server = new Server({ name: 'library', version: '1' }, options);
      server.setRequestHandler('resources/list', async () => ({ resources: [] }));
      server.setRequestHandler('resources/read', async () => {
        reads += 1;
        return { contents: [{ uri, mimeType: 'text/plain', text: library.text }] };
      });
      return server;
    },
    { legacy: 'reject' },
  );
  const answer = toNodeHandler(handler);
  const server = createServer((request, response) => {
    sockets.add(request.socket);
    void json(request).then((body) => {
      if (isSubscribing(body)) subscribed += 1;
      return answer(request as IncomingMessage & { method: string; url: string }, response, body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  const library: TestLibrary = {
    entry: { type: 'http', url: `http://127.0.0.1:${port}/mcp` },
    text: 'one',
    subscribed: () => subscribed,
    reads: () => reads,
    tell: () => handler.notify.resourceUpdated(uri),
    cut,
    close: async () => {
      const closed = once(server, 'close');
      await handler.close();
      server.close();
      cut();
      await closed;
    },
  };
  return library;
}

interface Listening {
  readonly method?: string;
  readonly params?: { readonly notifications?: { readonly resourceSubscriptions?: readonly string[] } };
}

function isSubscribing(body: unknown): boolean {
  const { method, params } = body as Listening;
  return method === 'subscriptions/listen' && params?.notifications?.resourceSubscriptions?.includes(uri) === true;
}
