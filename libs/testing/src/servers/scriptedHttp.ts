/**
 * A Streamable HTTP server, written by hand, that misbehaves on purpose. It runs in the test's own process.
 *
 * How a call is answered is said by the name of its tool; which calls arrived is in `calls`.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: Record<string, unknown>;
    readonly requestId?: number;
  };
}

type Behaviour = (response: ServerResponse, message: Message, request: IncomingMessage) => void;

export interface ScriptedHttp {
  readonly url: string;
  /** Names of tools, in the order the calls came in. */
  readonly calls: string[];
  readonly cancelled: number[];
  readonly headers: IncomingMessage['headers'][];
  /** Sessions opened and ended, and how often a client asked for the revision first. */
  readonly sessions: { probed: number; opened: number; ended: number };
  readonly connections: () => number;
  /** Sessions that were opened so far are not known any more; `status` says with which answer. */
  forgetSessions(status: 400 | 404): void;
  close(): Promise<void>;
}

const rpc = (id: Message['id'], result: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, result });
const event = (data: string): string => `event: message\ndata: ${data}\n\n`;
const text = (value: string): unknown => ({ content: [{ type: 'text', text: value }] });

const json = (response: ServerResponse, body: string): void => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
};
const stream = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });

const behaviours: Readonly<Record<string, Behaviour>> = {
  json: (response, { id }) => json(response, rpc(id, text('json'))),
  sse: (response, { id }) => stream(response).end(event(rpc(id, text('sse')))),
  /** Status and headers of the caller's choice. */
  status: (response, { params }) => {
    const { status = 500, headers = {}, body = 'as you wished' } = params?.arguments ?? {};
    response.writeHead(Number(status), headers as Record<string, string>).end(body);
  },
  html: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Log in</h1>'),
  /** Answers another caller. */
  otherId: (response) => json(response, rpc('another one’s', text('hello'))),
  notJson: (response) => json(response, '{"jsonrpc": "2.0", '),
  hang: () => {},
  cut: (response) => response.destroy(),
  /** Begins to answer, and breaks off. */
  cutStream: (response) => stream(response).write(': one moment\n\n', () => response.destroy()),
  cutBody: (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 });
    response.write('{"jsonrpc":', () => response.destroy());
  },
  /** Ends the stream properly, without an answer in it. */
  noAnswer: (response) => stream(response).end(': nothing to say\n\n'),
  /** Answers, and never ends the stream. */
  linger: (response, { id }) => stream(response).write(event(rpc(id, text('lingering')))),
  hugeBody: (response, { id, params }) =>
    json(response, rpc(id, text('x'.repeat(Number(params?.arguments?.['bytes']))))),
  hugeEvent: (response, { id, params }) =>
    stream(response).end(event(rpc(id, text('x'.repeat(Number(params?.arguments?.['bytes'])))))),
  /** More than the limit in all, in events that are each well below it. */
  manyEvents: (response, { id, params }) => {
    stream(response);
    const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/x', params: { padding: 'x'.repeat(1e6) } });
    for (let left = Number(params?.arguments?.['bytes']); left > 0; left -= 1e6) response.write(event(note));
    response.end(event(rpc(id, text('many'))));
  },
  redirect: (response, { params }) =>
    response.writeHead(307, { location: String(params?.arguments?.['location']) }).end(),
};

const tools = Object.keys(behaviours).map((name) => ({ name, inputSchema: { type: 'object' } }));

/** `port`: a free one, where it is not said. */
export async function startScriptedHttp(port = 0): Promise<ScriptedHttp> {
  const sockets = new Set<Socket>();
  const known = new Set<string>();
  let lostStatus: 400 | 404 = 404;
  const state = {
    calls: [] as string[],
    cancelled: [] as number[],
    headers: [] as IncomingMessage['headers'][],
    sessions: { probed: 0, opened: 0, ended: 0 },
  };

  const post = (request: IncomingMessage, response: ServerResponse, message: Message): void => {
    const session = request.headers['mcp-session-id'];
    if (message.method === 'initialize') {
      const id = `session-${++state.sessions.opened}`;
      known.add(id);
      response.setHeader('mcp-session-id', id);
      const serverInfo = { name: 'scripted', version: '1' };
      json(response, rpc(message.id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo }));
    } else if (message.method === 'server/discover') {
      state.sessions.probed += 1;
      response.writeHead(400).end('Bad Request: no such method');
    } else if (typeof session !== 'string' || !known.has(session)) {
      response.writeHead(lostStatus).end('Bad Request: No valid session ID provided');
    } else if (message.method === 'notifications/cancelled') {
      state.cancelled.push(message.params?.requestId ?? -1);
      response.writeHead(202).end();
    } else if (message.method === 'tools/call') {
      const name = message.params?.name ?? '';
      state.calls.push(name);
      state.headers.push(request.headers);
      behaviours[name]?.(response, message, request);
    } else if (message.id === undefined) response.writeHead(202).end();
    else json(response, rpc(message.id, message.method === 'tools/list' ? { tools } : {}));
  };

  const server = createServer((request, response) => {
    if (request.method === 'DELETE') {
      state.sessions.ended += 1;
      known.delete(String(request.headers['mcp-session-id']));
      response.writeHead(200).end();
      return;
    }
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => post(request, response, JSON.parse(Buffer.concat(chunks).toString()) as Message));
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return {
    ...state,
    url: `http://127.0.0.1:${address.port}/mcp`,
    connections: () => sockets.size,
    forgetSessions(status) {
      lostStatus = status;
      known.clear();
    },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
