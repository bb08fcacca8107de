/** A route at which MCP is spoken over Streamable HTTP, of every revision: what is behind it is another's business. */
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Access } from '@baton/api';
import type { Lifecycle, Logger } from '@baton/boot';
import type { Clock } from '@baton/runner';
import { toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import type { McpHttpHandler, Server } from '@modelcontextprotocol/server';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { asProblem } from '../../http/asProblem.ts';
import type { App } from '../../http/edge.ts';
import { whileGood } from '../../keys/keyExpiryWatch.ts';
import type { Keyring } from '../../keys/keyring.ts';
import type { Principal } from '../../keys/scopes.ts';
import type { Readers } from '../../live/readers.ts';
import { whenClosed } from '../../live/whenClosed.ts';
import type { SessionsOptions } from '../../mcp/sessions.ts';
import { McpSessions } from '../../mcp/sessions.ts';
import { isListening } from '../../mcp/subscriptions.ts';

export interface McpDoorOptions {
  readonly clock: Clock;
  readonly keyring: Pick<Keyring, 'isGood'>;
  readonly readers: Readers;
  readonly log: Logger;
  readonly lifecycle: Pick<Lifecycle, 'onStop'>;
}

/** A request as it came, for handlers that must know more of it than MCP says. */
export interface McpPassage {
  readonly principal: Principal;
  readonly url: URL;
  readonly response: ServerResponse;
  readonly request: FastifyRequest;
}

export interface McpFace {
  readonly url: string;
  readonly access: Access;
  /** Of the revisions before 2026-07-28: one for each session. */
  readonly legacy: (principal: Principal) => Server;
  /** Of 2026-07-28 and later: one for each request. */
  readonly modern: (principal: Principal) => Server;
  readonly recall?: SessionsOptions['recall'];
  readonly onClosed?: SessionsOptions['onClosed'];
  /** The request, as far as its key may listen. */
  readonly listen?: (
    request: FastifyRequest,
    reply: FastifyReply,
    notify: McpHttpHandler['notify'],
  ) => Promise<unknown>;
}

export interface McpDoor {
  readonly sessions: McpSessions;
  readonly notify: McpHttpHandler['notify'];
}

export function mcpDoor(app: App, options: McpDoorOptions, face: McpFace): McpDoor {
  const { log, lifecycle, readers, clock } = options;
  const { url, access, legacy: create, recall, onClosed, listen } = face;
  const sessions = new McpSessions({ clock, create, ...(recall && { recall }), ...(onClosed && { onClosed }) });
  const onerror = (error: Error): void => log.debug({ err: error }, 'an MCP client did something odd');
  const modern = createMcpHandler(({ authInfo }) => face.modern(passageIn(authInfo).principal), {
    legacy: 'reject',
    onerror,
  });
  const answerModern = toNodeHandler(modern, { onerror });
  lifecycle.onStop(url, async () => {
    await Promise.all([sessions.close(), modern.close()]);
  });
  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { raw, body, principal } = request;
    // Calls end by themselves, and with them their runs would; what only tells goes on for as long as it is listened to.
    if (raw.method === 'GET' || isListening(body)) {
      whenClosed(reply.raw, readers.enter(principal));
      const end = (): void => void reply.raw.destroy();
      whenClosed(reply.raw, whileGood(options, principal, end));
    }
    const isLegacy = raw.method !== 'POST' || (await isLegacyRequest(await toWebRequest(asNode(raw), body)));
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value);
    }
    const passage = { principal, url: new URL(request.url, 'http://localhost'), response: reply.raw, request };
    const asked = Object.assign(asNode(raw), { auth: authOf(passage) });
    if (isLegacy) await sessions.handle(asked, reply.raw, body, principal);
    else {
      const heard = listen === undefined ? body : await listen(request, reply, modern.notify);
      await answerModern(asked, reply.raw, heard);
    }
    reply.hijack();
    return reply;
  };
  for (const method of ['GET', 'POST', 'DELETE'] as const) {
    app.route({ method, url, config: { access }, handler: handle, errorHandler: unread });
  }
  return { sessions, notify: modern.notify };
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

/** The key was checked at the edge; here it travels through the SDK, with the request that it came with. */
const authOf = (passage: McpPassage) => ({
  token: '',
  clientId: passage.principal.id,
  scopes: [...passage.principal.scopes],
  extra: { passage },
});

/** Throws where the request did not come through this door. */
export function passageIn(authInfo: { readonly extra?: Record<string, unknown> } | undefined): McpPassage {
  const passage = authInfo?.extra?.['passage'];
  if (passage === undefined) throw new Error('a request reached MCP without having passed the edge');
  return passage as McpPassage;
}
