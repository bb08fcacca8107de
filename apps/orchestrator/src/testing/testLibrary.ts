/**
 * For tests: a server of one resource that changes when it is told to, by hand over HTTP with events (MCP 2024-11-05).
 */
import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export const uri = 'wiki://policies/scan';

export interface TestLibrary {
  /** As an entry of `mcp.json`. */
  readonly entry: object;
  /** What the resource says. */
  text: string;
  /** Subscriptions that were made so far. */
  readonly subscribed: () => number;
  /** How often the resource was read. */
  readonly reads: () => number;
  /** Tells all that are connected. */
  tell(): void;
  /** Breaks all connections. */
  cut(): void;
  close(): Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
}

export async function testLibrary(): Promise<TestLibrary> {
  const peers = new Map<string, ServerResponse>();
  let sessions = 0;
  let subscribed = 0;
  let reads = 0;
  const resultOf = (method: string): object => {
    const serverInfo = { name: 'library', version: '1' };
    const capabilities = { resources: { subscribe: true } };
    if (method === 'initialize') return { protocolVersion: '2024-11-05', capabilities, serverInfo };
    if (method === 'resources/subscribe') subscribed += 1;
    if (method !== 'resources/read') return method === 'resources/list' ? { resources: [] } : {};
    reads += 1;
    return { contents: [{ uri, mimeType: 'text/plain', text: library.text }] };
  };
  const send = (peer: ServerResponse | undefined, message: object): void => {
    peer?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  };
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      const path = `/messages/${++sessions}`;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: ${path}\n\n`);
      peers.set(path, response);
      response.on('close', () => peers.delete(path));
      return;
    }
    void json(request).then((body) => {
      response.writeHead(202).end();
      const { id, method = '' } = body as Message;
      if (id !== undefined) send(peers.get(request.url ?? ''), { id, result: resultOf(method) });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cut = (): void => {
    for (const peer of peers.values()) peer.destroy();
  };
  const library: TestLibrary = {
    entry: { type: 'sse', url: `http://127.0.0.1:${port}/sse` },
    text: 'one',
    subscribed: () => subscribed,
    reads: () => reads,
    tell: () => {
      for (const peer of peers.values()) send(peer, { method: 'notifications/resources/updated', params: { uri } });
    },
    cut,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      cut();
      server.closeAllConnections();
      await closed;
    },
  };
  return library;
}
