/** For this room's tests: a server of 2026-07-28 over HTTP, made with the SDK. */
import { toNodeHandler } from '@modelcontextprotocol/node';
import { type CreateMcpHandlerOptions, type McpHttpHandler, createMcpHandler } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';

import { modernServer } from './modernServer.ts';
import { serving } from './testHttp.ts';

export interface ModernTrial {
  readonly url: string;
  readonly handler: McpHttpHandler;
  /** The server's log: called tools, and cancelled calls. */
  readonly heard: string[];
  readonly headers: Readonly<Record<string, unknown>>[];
  /** Breaks all connections there are. */
  cut(): void;
}

export async function modernTrial(options: CreateMcpHandlerOptions = {}): Promise<ModernTrial> {
  const { close, ...server } = await modernServing(options);
  onTestFinished(close);
  return server;
}

/** The same, for the test that closes it. */
export async function modernServing(
  options: CreateMcpHandlerOptions = {},
): Promise<ModernTrial & { readonly close: () => Promise<void> }> {
  const heard: string[] = [];
  const headers: Readonly<Record<string, unknown>>[] = [];
  const sockets = new Set<{ destroy(): void }>();
  const handler: McpHttpHandler = createMcpHandler(() => modernServer(heard, handler.notify), options);
  const answer = toNodeHandler(handler);
  const { base, close } = await serving((request, response) => {
    headers.push(request.headers);
    sockets.add(request.socket);
    void answer(request as Parameters<typeof answer>[0], response);
  });
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  return { url: `${base}/mcp`, handler, heard, headers, cut, close };
}
