/** `/mcp`: MCP over Streamable HTTP, of every revision. */
import type { IncomingMessage } from 'node:http';

import type { Access } from '@baton/api';
import type { Lifecycle, Logger } from '@baton/boot';
import { toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import type { McpRequestContext } from '@modelcontextprotocol/server';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { asProblem } from '../http/asProblem.ts';
import type { App } from '../http/edge.ts';
import { whileGood } from '../keys/keyExpiryWatch.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { Principal } from '../keys/scopes.ts';
import type { Readers } from '../live/readers.ts';
import { whenClosed } from '../live/whenClosed.ts';
import type { McpOptions } from '../mcp/mcpServer.ts';
import { createMcpServer } from '../mcp/mcpServer.ts';
import { uriOf } from '../mcp/runUris.ts';
import { McpSessions } from '../mcp/sessions.ts';
import { isListening, listenedTo, narrowed, positionOf, RunSubscriptions } from '../mcp/subscriptions.ts';

export interface McpRouteOptions extends Omit<McpOptions, 'subscriptions'> {
  /** Of journals. Rejects with `UnavailableError`. */
  readonly positions: ConstructorParameters<typeof RunSubscriptions>[0]['positions'];
  readonly keyring: Pick<Keyring, 'isGood'>;
  readonly readers: Readers;
  readonly log: Logger;
  readonly lifecycle: Pick<Lifecycle, 'onStop'>;
}

const access: Access = ['runs:read', 'runs:write', 'workflows:write', 'questions:answer'];

export function mcpRoutes(app: App, { positions, ...given }: McpRouteOptions): void {
  const { log, lifecycle, clock, watches, readers } = given;
  const subscriptions = new RunSubscriptions({ watches, clock, positions });
  const options = { ...given, subscriptions };
  const sessions = new McpSessions(clock, (principal) => createMcpServer(options, principal, 'legacy'));
  const onerror = (error: Error): void => log.debug({ err: error }, 'an MCP client did something odd');
  const modern = createMcpHandler((context) => createMcpServer(options, principalOf(context), 'modern'), {
    legacy: 'reject',
    onerror,
  });
  const answerModern = toNodeHandler(modern, { onerror });
  lifecycle.onStop('mcp', async () => {
    await Promise.all([sessions.close(), modern.close()]);
  });
  const tell = (runId: string): void => modern.notify.resourceUpdated(uriOf(runId));
  /** Subscribes to what the request wants to hear of, while it is answered. The request, for no more than its key reaches. */
  const listen = async ({ body, principal }: FastifyRequest, { raw }: FastifyReply): Promise<unknown> => {
    const reached: string[] = [];
    for (const runId of listenedTo(body)) {
      const position = await positionOf(options, principal, runId);
      if (position === undefined) continue;
      reached.push(runId);
      whenClosed(raw, subscriptions.subscribe(runId, position, tell));
    }
    return narrowed(body, reached);
  };
  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { raw, body, principal } = request;
    // Calls end by themselves, and with them their runs would; what only tells goes on for as long as it is listened to.
    if (raw.method === 'GET' || isListening(body)) {
      whenClosed(reply.raw, readers.enter(principal));
      const end = (): void => void reply.raw.destroy();
      whenClosed(reply.raw, whileGood(given, principal, end));
    }
    const isLegacy = raw.method !== 'POST' || (await isLegacyRequest(await toWebRequest(asNode(raw), body)));
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value);
    }
    if (isLegacy) await sessions.handle(raw, reply.raw, body, principal);
    else {
      const heard = await listen(request, reply);
      await answerModern(Object.assign(asNode(raw), { auth: authOf(principal) }), reply.raw, heard);
    }
    reply.hijack();
    return reply;
  };
  for (const method of ['GET', 'POST', 'DELETE'] as const) {
    app.route({
      method,
      url: '/mcp',
      config: { access },
      handler: handle,
      errorHandler: unread,
    });
  }
}

/** What cannot be read is answered in the words of JSON-RPC (2.0, section 5.1); all else as everywhere. */
function unread(error: unknown, _: FastifyRequest, reply: FastifyReply): void {
  const { status, detail, errors } = asProblem(error);
  if (status !== 400) throw error;
  const code = errors.some((one) => one.code === 'json-syntax') ? -32_700 : -32_600;
  const data = errors.length === 0 ? {} : { data: { errors } };
  void reply.code(400).send({ jsonrpc: '2.0', id: null, error: { code, message: detail, ...data } });
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
