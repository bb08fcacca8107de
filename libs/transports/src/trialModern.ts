/** For this room's tests: a server of 2026-07-28 over HTTP, made with the SDK. */
import { once } from 'node:events';

import { toNodeHandler } from '@modelcontextprotocol/node';
import type { CreateMcpHandlerOptions, McpHttpHandler } from '@modelcontextprotocol/server';
import { createMcpHandler, inputRequired, inputResponse, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

import { listening } from './trialHttp.ts';

export interface ModernTrial {
  readonly url: string;
  readonly handler: McpHttpHandler;
  /** What the server wrote down: tools that were called, and calls that were cancelled. */
  readonly heard: string[];
  readonly headers: Readonly<Record<string, unknown>>[];
  /** Breaks all connections there are. */
  cut(): void;
}

const anything = z.object({});
const done = (text: string) => ({ content: [{ type: 'text' as const, text }] });

export async function modernTrial(options: CreateMcpHandlerOptions = {}): Promise<ModernTrial> {
  const heard: string[] = [];
  const headers: Readonly<Record<string, unknown>>[] = [];
  const sockets = new Set<{ destroy(): void }>();
  const handler = createMcpHandler(() => build(heard), options);
  const answer = toNodeHandler(handler);
  const base = await listening((request, response) => {
    headers.push(request.headers);
    sockets.add(request.socket);
    void answer(request as Parameters<typeof answer>[0], response);
  });
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  return { url: `${base}/mcp`, handler, heard, headers, cut };
}

function build(heard: string[]): McpServer {
  const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} };
  const server = new McpServer({ name: 'modern', version: '1' }, { capabilities });
  const annotations = { readOnlyHint: true };
  server.registerTool('echo', { inputSchema: z.object({ message: z.string() }), annotations }, ({ message }) =>
    done(message),
  );
  server.registerTool('hang', { inputSchema: anything }, async (_, { mcpReq }) => {
    await once(mcpReq.signal, 'abort');
    heard.push('abort');
    return { content: [] };
  });
  server.registerTool('log', { inputSchema: anything }, async (_, { mcpReq }) => {
    await mcpReq.log('warning', 'full\u001b[2J', 'disk');
    return done('logged');
  });
  server.registerTool('ask', { inputSchema: anything }, (_, { mcpReq }) => {
    heard.push('ask');
    const idea = inputResponse(mcpReq.inputResponses, 'idea');
    const who = inputResponse(mcpReq.inputResponses, 'who');
    if (idea.kind !== 'missing') return done(JSON.stringify({ idea, who, state: mcpReq.requestState() }));
    const properties = { name: { type: 'string' as const } };
    return inputRequired({
      inputRequests: {
        idea: inputRequired.createMessage({
          messages: [{ role: 'user', content: { type: 'text', text: 'an idea' } }],
          maxTokens: 10,
        }),
        who: inputRequired.elicit({ message: 'name?', requestedSchema: { type: 'object', properties } }),
      },
      requestState: 'round-1',
    });
  });
  server.registerTool('later', { inputSchema: anything }, (_, { mcpReq }) => {
    heard.push('later');
    return mcpReq.requestState() === undefined ? inputRequired({ requestState: 'come back' }) : done('now');
  });
  server.registerTool('insatiable', { inputSchema: anything }, () => {
    const message = 'more?';
    const elicit = inputRequired.elicit({ message, requestedSchema: { type: 'object', properties: {} } });
    return inputRequired({ inputRequests: { more: elicit } });
  });
  server.registerResource('a', 'file:///a', {}, () => ({ contents: [{ uri: 'file:///a', text: 'a' }] }));
  return server;
}
