/** For this room's tests: a server of 2026-07-28 made with the SDK; it serves older clients too. */
import { once } from 'node:events';

import {
  type ServerContext,
  type ServerNotifier,
  completable,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

const anything = z.object({});
const done = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** `notify`: notifies listeners on other connections. Absent: there are none. */
export function modernServer(heard: string[] = [], notify?: ServerNotifier): McpServer {
  const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} };
  const server = new McpServer({ name: 'modern', version: '1' }, { capabilities });
  answeringTools(server);
  workingTools(server, heard);
  askingTools(server, heard);
  agreeingTool(server);
  changingTools(server, notify);
  promptsAndResources(server);
  return server;
}

function answeringTools(server: McpServer): void {
  const annotations = { readOnlyHint: true };
  server.registerTool('echo', { inputSchema: z.object({ message: z.string() }), annotations }, ({ message }) =>
    done(message),
  );
  server.registerTool('break', { inputSchema: anything }, () => ({ ...done('it is broken'), isError: true }));
  server.registerTool('weather', { inputSchema: anything, outputSchema: z.object({ degrees: z.number() }) }, () => ({
    content: [],
    structuredContent: { degrees: 21 },
  }));
  server.registerTool('media', { inputSchema: anything }, () => ({
    content: [
      { type: 'image', data: pixel, mimeType: 'image/png' },
      { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a', text: 'a' } },
      { type: 'resource_link', uri: 'file:///a', name: 'a' },
    ],
  }));
}

function workingTools(server: McpServer, heard: string[]): void {
  server.registerTool('hang', { inputSchema: anything }, async (_, { mcpReq }) => {
    await once(mcpReq.signal, 'abort');
    heard.push('abort');
    return { content: [] };
  });
  server.registerTool('log', { inputSchema: anything }, async (_, { mcpReq }) => {
    await mcpReq.log('warning', 'full\u001b[2J', 'disk');
    return done('logged');
  });
  server.registerTool('count', { inputSchema: anything }, async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken ?? 0;
    for (const progress of [1, 2]) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 2 } });
    }
    return done('counted');
  });
}

function askingTools(server: McpServer, heard: string[]): void {
  const properties = { name: { type: 'string' as const } };
  const who = inputRequired.elicit({ message: 'name?', requestedSchema: { type: 'object', properties } });
  const idea = inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: 'an idea' } }],
    maxTokens: 10,
  });
  const asking = (name: string, inputRequests: Parameters<typeof inputRequired>[0]['inputRequests']): void => {
    server.registerTool(name, { inputSchema: anything }, (_, { mcpReq }: ServerContext) => {
      heard.push(name);
      const answers = Object.keys(inputRequests ?? {}).map((key) => [key, inputResponse(mcpReq.inputResponses, key)]);
      const isAnswered = answers.some(([, answer]) => (answer as { kind: string }).kind !== 'missing');
      if (isAnswered) return done(JSON.stringify({ ...Object.fromEntries(answers), state: mcpReq.requestState() }));
      return inputRequired({ inputRequests: inputRequests ?? {}, requestState: 'round-1' });
    });
  };
  asking('ask', { idea, who });
  asking('ask-model', { idea });
  asking('ask-person', { who });
  const url = 'https://example.com/agree';
  asking('ask-address', { address: inputRequired.elicitUrl({ message: 'Agree there.', url }) });
  asking('ask-roots', { roots: inputRequired.listRoots() });
  server.registerTool('later', { inputSchema: anything }, (_, { mcpReq }) => {
    heard.push('later');
    return mcpReq.requestState() === undefined ? inputRequired({ requestState: 'come back' }) : done('now');
  });
  server.registerTool('insatiable', { inputSchema: anything }, () => {
    const message = 'more?';
    const elicit = inputRequired.elicit({ message, requestedSchema: { type: 'object', properties: {} } });
    return inputRequired({ inputRequests: { more: elicit } });
  });
}

/** Until 2025-11-25 the server detects that a person is done, and repeats the notification, which has no answer. */
function agreeingTool(server: McpServer): void {
  server.registerTool('agree', { inputSchema: anything }, async (_, { mcpReq }) => {
    const elicitationId = 'agreement-1';
    const tell = server.server.createElicitationCompletionNotifier(elicitationId);
    const telling = setInterval(() => void tell(), 20);
    const url = 'https://example.com/agree';
    const { action } = await mcpReq.elicitInput({ mode: 'url', message: 'Agree there.', url, elicitationId });
    clearInterval(telling);
    return done(action);
  });
}

function changingTools(server: McpServer, notify: ServerNotifier | undefined): void {
  server.registerTool('grow', { inputSchema: z.object({ name: z.string() }) }, ({ name }) => {
    if (notify === undefined) server.registerTool(name, { inputSchema: anything }, () => done('new'));
    else notify.toolsChanged();
    return done('grown');
  });
  server.registerTool('touch', { inputSchema: z.object({ uri: z.string() }) }, async ({ uri }) => {
    if (notify === undefined) await server.server.sendResourceUpdated({ uri });
    else notify.resourceUpdated(uri);
    return done('touched');
  });
}

function promptsAndResources(server: McpServer): void {
  server.registerResource('a', 'file:///a', {}, () => ({ contents: [{ uri: 'file:///a', text: 'a' }] }));
  const notes = new ResourceTemplate('note://{id}', { list: undefined });
  server.registerResource('note', notes, {}, (uri, { id }) => ({
    contents: [{ uri: uri.href, text: `note ${String(id)}` }],
  }));
  const cities = ['Paris', 'Prague', 'Rome'];
  const city = completable(z.string(), (value) => cities.filter((one) => one.startsWith(value)));
  const user = (text: string) => ({ messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] });
  server.registerPrompt('visit', { argsSchema: z.object({ city }) }, (args) => user(`Visit ${args.city}`));
  // In pages of one: it has two.
  server.server.setRequestHandler('prompts/list', ({ params }) =>
    params?.cursor === undefined
      ? { prompts: [{ name: 'visit', arguments: [{ name: 'city', required: true }] }], nextCursor: 'second' }
      : { prompts: [{ name: 'leave' }] },
  );
}
