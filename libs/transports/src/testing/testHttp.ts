/** For this room's tests: HTTP servers in the test's own process, on a free port, gone when the test ends. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import type { JsonObject } from '@baton/primitives';
import { onTestFinished } from 'vitest';

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** Its address, without a path. */
export async function listening(handle: RequestListener): Promise<string> {
  const { base, close } = await serving(handle);
  onTestFinished(close);
  return base;
}

/** The same, for the test that closes it. */
export async function serving(
  handle: RequestListener,
): Promise<{ readonly base: string; readonly close: () => Promise<void> }> {
  const server = createServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  const address = server.address();
  return { base: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`, close };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
  return body;
}

export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: JsonObject;
}

export const messageOf = async (request: IncomingMessage): Promise<Message> =>
  JSON.parse(await bodyOf(request)) as Message;

/** Of a `tools/call`. */
export const toolOf = (params: JsonObject | undefined): string =>
  typeof params?.['name'] === 'string' ? params['name'] : '';

export const rpc = (id: Message['id'], result: unknown): JsonObject =>
  ({ jsonrpc: '2.0', id, result }) as unknown as JsonObject;

export const json = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

export const event = (message: unknown, more = ''): string => `${more}data: ${JSON.stringify(message)}\n\n`;

export const text = (value: string): JsonObject => ({ content: [{ type: 'text', text: value }] });

/** The answer to `initialize`. */
export const introduction = (protocolVersion: string, capabilities: JsonObject = { tools: {} }): JsonObject => ({
  protocolVersion,
  capabilities,
  serverInfo: { name: 'by hand', version: '1' },
});
