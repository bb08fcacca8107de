/** For this room's tests: a server of 2026-07-28 over stdio, made with the SDK; it serves older clients too. */
import { inputRequired, inputResponse, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'modern', version: '1' }, { capabilities: { tools: { listChanged: true } } });
  server.registerTool('echo', { inputSchema: z.object({ message: z.string() }) }, ({ message }) => ({
    content: [{ type: 'text', text: `Echo: ${message}` }],
  }));
  server.registerTool('ask', { inputSchema: z.object({}) }, (_, { mcpReq }) => {
    const who = inputResponse(mcpReq.inputResponses, 'who');
    if (who.kind !== 'missing') return { content: [{ type: 'text', text: JSON.stringify(who) }] };
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
    return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: 'name?', requestedSchema }) } });
  });
  return server;
});
