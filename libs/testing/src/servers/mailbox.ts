/**
 * An MCP server with a mailbox that lies: it repeats, reorders and drops messages, answers thousands at once, and fails.
 * Over Streamable HTTP, in this process.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface MailMessage {
  readonly id?: string | number | null;
  readonly subject?: unknown;
}

export interface Mailbox {
  /** As an entry of `mcp.json`. */
  readonly entry: object;
  /** What `search` answers now. */
  messages: readonly MailMessage[];
  /** The cursor that `search` answers with them; undefined: none. */
  next: string | undefined;
  /** With this text, `search` fails. */
  fault: string | undefined;
  /** Awaited before `search` answers, with its arguments: it may change what is answered. */
  onSearch: ((asked: unknown) => Promise<void> | void) | undefined;
  /** Another description of the tool: a changed contract. */
  isChanged: boolean;
  /** The arguments of each call. */
  readonly searches: readonly unknown[];
  close(): Promise<void>;
}

interface Request {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly arguments?: unknown };
}

const message = {
  type: 'object',
  properties: { id: { type: ['string', 'number', 'null'] }, subject: {} },
} as const;

const search = (isChanged: boolean): object => ({
  name: 'search',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string' },
      token: { type: 'string' },
      after: { type: 'string' },
      ...(isChanged && { folder: { type: 'string' } }),
    },
    required: isChanged ? ['folder'] : [],
  },
  outputSchema: {
    type: 'object',
    properties: { messages: { type: 'array', items: message }, next: { type: 'string' } },
    required: ['messages'],
  },
  annotations: { readOnlyHint: true },
});

export async function startMailbox(): Promise<Mailbox> {
  const searches: unknown[] = [];
  const answerTo = ({ method, params }: Request): object | undefined => {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'mailbox', version: '1' },
        };
      case 'tools/list':
        return { tools: [search(mailbox.isChanged)] };
      case 'tools/call': {
        searches.push(params?.arguments);
        const { fault, messages, next } = mailbox;
        if (fault !== undefined) return { isError: true, content: [{ type: 'text', text: fault }] };
        const structuredContent = { messages, ...(next !== undefined && { next }) };
        return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] };
      }
      default:
        return method?.startsWith('notifications/') === true ? undefined : {};
    }
  };
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const answer = async (): Promise<void> => {
      const asked = (await json(request)) as Request;
      if (asked.method === 'tools/call') await mailbox.onSearch?.(asked.params?.arguments);
      const result = answerTo(asked);
      if (result === undefined) return void response.writeHead(202).end();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, result }));
    };
    // A killed client ends its request in the middle.
    answer().catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const mailbox: Mailbox = {
    entry: { type: 'http', url: `http://127.0.0.1:${port}/mcp` },
    messages: [],
    next: undefined,
    fault: undefined,
    onSearch: undefined,
    isChanged: false,
    searches,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return mailbox;
}
