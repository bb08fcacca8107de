/** `/mcp`: MCP over Streamable HTTP, of every revision. */
import type { IncomingMessage } from 'node:http';

import type { Lifecycle, Logger } from '@baton/boot';
import { toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import type { McpRequestContext } from '@modelcontextprotocol/server';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Access, App } from '../http/edge.ts';
import type { Principal } from '../keys/scopes.ts';
import type { McpOptions } from '../mcp/mcpServer.ts';
import { createMcpServer } from '../mcp/mcpServer.ts';
import { McpSessions } from '../mcp/sessions.ts';

export interface McpRouteOptions extends McpOptions {
  readonly log: Logger;
  readonly lifecycle: Pick<Lifecycle, 'onStop'>;
}

const access: Access = ['runs:read', 'runs:write', 'workflows:write', 'questions:answer'];

export function mcpRoutes(app: App, options: McpRouteOptions): void {
  const { log, lifecycle, clock } = options;
  const sessions = new McpSessions(clock, (principal) => createMcpServer(options, principal));
  const onerror = (error: Error): void => log.debug({ err: error }, 'an MCP client did something odd');
  const modern = createMcpHandler((context) => createMcpServer(options, principalOf(context)), {
    legacy: 'reject',
    onerror,
  });
  const answerModern = toNodeHandler(modern, { onerror });
  lifecycle.onStop('mcp', async () => {
    await Promise.all([sessions.close(), modern.close()]);
  });
  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { raw, body, principal } = request;
    const isLegacy = raw.method !== 'POST' || (await isLegacyRequest(await toWebRequest(asNode(raw), body)));
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value);
    }
    if (isLegacy) await sessions.handle(raw, reply.raw, body, principal);
    else await answerModern(Object.assign(asNode(raw), { auth: authOf(principal) }), reply.raw, body);
    reply.hijack();
    return reply;
  };
  for (const method of ['GET', 'POST', 'DELETE'] as const) {
    app.route({ method, url: '/mcp', config: { access }, schema: { hide: true }, handler: handle });
  }
}

/** The same object: the SDK's type does not know that Node says `undefined` where there is no method. */
const asNode = (request: IncomingMessage) => request as IncomingMessage & { method: string; url: string };

/** The key was checked at the edge; here it travels through the SDK. */
const authOf = (principal: Principal) => ({
  token: '',
  clientId: principal.id,
  scopes: [...principal.scopes],
  extra: { principal },
});

function principalOf({ authInfo }: McpRequestContext): Principal {
  const principal = authInfo?.extra?.['principal'];
  if (principal === undefined) throw new Error('a request reached MCP without having passed the edge');
  return principal as Principal;
}
