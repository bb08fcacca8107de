/** For this room's tests: a server over Streamable HTTP with sessions, by hand, which forgets them on demand. */
import type { ServerResponse } from 'node:http';

import { introduction, json, listening, messageOf, rpc, text, toolOf, type Message } from './testHttp.ts';

export interface SessionTrial {
  readonly url: string;
  /** The tools that were called, in sessions that it knows. */
  readonly calls: string[];
  readonly opened: () => number;
  /** As a restart does. */
  forget(): void;
}

type Answerer = (message: Message, response: ServerResponse) => void;

/** `gone` answers what comes in a session that the server does not know; `react`, calls of tools in one that it knows. */
export async function sessionTrial(gone: Answerer, react?: Answerer): Promise<SessionTrial> {
  const sessions = new Set<unknown>();
  const calls: string[] = [];
  let opened = 0;
  const base = await listening((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    void messageOf(request).then((message) => {
      const { id, method, params } = message;
      if (method === 'server/discover') return void response.writeHead(400).end();
      if (method === 'initialize') {
        const session = `s${++opened}`;
        sessions.add(session);
        response.setHeader('mcp-session-id', session);
        return json(response, rpc(id, introduction('2025-11-25')));
      }
      if (!sessions.has(request.headers['mcp-session-id'])) return gone(message, response);
      if (id === undefined) return void response.writeHead(202).end();
      if (method !== 'tools/call') return json(response, rpc(id, {}));
      calls.push(toolOf(params));
      return react === undefined ? json(response, rpc(id, text('done'))) : react(message, response);
    });
  });
  return { url: `${base}/mcp`, calls, opened: () => opened, forget: () => sessions.clear() };
}
