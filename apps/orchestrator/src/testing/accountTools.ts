/**
 * For tests: a real MCP server that tells its callers apart. Each session belongs to the account that opened it, and each
 * account sees a tool that no other has.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { AccountAuthority } from '@baton/testing';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { z } from 'zod';

interface Written {
  readonly account: string;
  readonly text: string;
}

export interface AccountTools {
  readonly url: string;
  /** What each account wrote, in the order of the calls. */
  readonly written: readonly Written[];
  /** Requests of one account on a session of another. */
  readonly mixed: readonly string[];
  /** Called with each write before it is answered. */
  onWrite: (written: Written) => Promise<void>;
  close(): Promise<void>;
}

interface AccountSession {
  readonly account: string;
  readonly answer: ReturnType<typeof toNodeHandler>;
}

export async function startAccountTools(authority: AccountAuthority): Promise<AccountTools> {
  const written: Written[] = [];
  const mixed: string[] = [];
  const sessions = new Map<string, AccountSession>();
  const done = (text: string) => ({ content: [{ type: 'text' as const, text }] });
  const open = async (account: string): Promise<AccountSession> => {
    const server = new McpServer({ name: 'accounts', version: '1' });
    const read = { annotations: { readOnlyHint: true } };
    server.registerTool('whoami', read, () => done(account));
    server.registerTool(`only-${account}`, read, () => done(account));
    server.registerTool('write', { inputSchema: z.object({ text: z.string() }) }, async ({ text }) => {
      written.push({ account, text });
      await tools.onWrite({ account, text });
      return done(account);
    });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, session),
    });
    const answer = toNodeHandler({ fetch: (request, more) => transport.handleRequest(request, more) });
    const session: AccountSession = { account, answer };
    await server.connect(transport);
    return session;
  };
  const http = createServer((request, response) => {
    void (async () => {
      if (request.url?.startsWith('/.well-known/oauth-protected-resource') === true) {
        response.writeHead(200, { 'content-type': 'application/json' });
        return response.end(
          JSON.stringify({ resource: tools.url, authorization_servers: [authority.issuer], scopes_supported: ['use'] }),
        );
      }
      const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
      const account = await authority.accountOf(token);
      if (account === undefined) {
        const metadata = new URL('/.well-known/oauth-protected-resource/mcp', tools.url);
        return response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata.href}"` }).end();
      }
      const id = request.headers['mcp-session-id'];
      const session = typeof id === 'string' ? sessions.get(id) : await open(account);
      if (session === undefined) return response.writeHead(404).end();
      if (session.account !== account) mixed.push(`${account} on a session of ${session.account}`);
      return session.answer(request as IncomingMessage & { method: string; url: string }, response);
    })();
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const tools: AccountTools = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    written,
    mixed,
    onWrite: async () => undefined,
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return tools;
}
