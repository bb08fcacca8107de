/** For this room's tests: a hand-written server of 2024-11-05 over HTTP with events, which can send any text. */
import type { JsonObject } from '@baton/primitives';

import { event, introduction, listening, messageOf, rpc, type Message } from './testHttp.ts';

export interface Peer {
  /** Counted from 1. */
  readonly session: number;
  say(message: object): void;
  /** The stream breaks. */
  cut(): void;
}

export interface SseTrial {
  /** As an entry of `mcp.json`. */
  readonly entry: { readonly type: 'sse'; readonly url: string };
  /** The latest is the last. */
  readonly peers: Peer[];
  readonly heard: Message[];
}

/** `react` gets all messages except the handshake and pings. */
export async function sseTrial(
  react: (message: Message, peer: Peer) => void,
  capabilities: JsonObject = { tools: {} },
): Promise<SseTrial> {
  const peers: Peer[] = [];
  const heard: Message[] = [];
  const base = await listening((request, response) => {
    if (request.method === 'GET') {
      const session = peers.length + 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: /messages/${session}\n\n`);
      peers.push({ session, say: (message) => response.write(event(message)), cut: () => response.destroy() });
      return;
    }
    void messageOf(request).then((message) => {
      const { id, method } = message;
      const peer = peers[Number(request.url?.split('/').at(-1)) - 1];
      response.writeHead(202).end();
      heard.push(message);
      if (method === 'initialize') peer?.say(rpc(id, introduction('2024-11-05', capabilities)));
      else if (method === 'ping') peer?.say(rpc(id, {}));
      else if (peer !== undefined) react(message, peer);
    });
  });
  return { entry: { type: 'sse', url: `${base}/sse` }, peers, heard };
}
