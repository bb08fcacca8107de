/** A model provider's HTTP server, for tests: remembers what it was asked, and answers as the test says. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  /** Resolves when the client disconnects before the answer is complete. */
  readonly left: Promise<void>;
}

export type ScriptedReply =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly json: unknown }
  /**
   * Server-sent events, and what becomes of the connection after them: a number of milliseconds repeats the last for
   * ever.
   */
  | { readonly events: readonly string[]; readonly after: 'end' | 'cut' | 'hang' | number }
  | { readonly redirect: string }
  | 'silence';

export interface TestServer {
  readonly url: string;
  readonly asked: ReceivedRequest[];
  close(): Promise<void>;
}

/** `replies` are given in turn; the last one again and again. */
export async function startTestServer(...replies: readonly ScriptedReply[]): Promise<TestServer> {
  const asked: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as ReceivedRequest['body'];
      const left = new Promise<void>((resolve) => {
        response.on('close', () => {
          if (!response.writableFinished) resolve();
        });
      });
      const reply = replies[Math.min(asked.length, replies.length - 1)] ?? 'silence';
      asked.push({ path: request.url ?? '', headers: request.headers, body, left });
      answer(response, reply);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answer(response: ServerResponse, reply: ScriptedReply): void {
  if (reply === 'silence') return;
  if ('redirect' in reply) {
    response.writeHead(307, { location: reply.redirect }).end();
    return;
  }
  if ('status' in reply) {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(JSON.stringify(reply.json));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const { events, after } = reply;
  if (typeof after === 'number') {
    const timer = setInterval(() => response.write(events.at(-1)), after);
    response.on('close', () => clearInterval(timer));
  }
  response.write(events.join(''), () => {
    if (after === 'end') response.end();
    if (after === 'cut') response.destroy();
  });
}
