/** A route for MCP over Streamable HTTP, in every revision; the caller provides the MCP server behind it. */
import type { IncomingMessage } from 'node:http';

import type { Access, ProblemDetail } from '@baton/api';
import type { Lifecycle, Logger } from '@baton/boot';
import { watchKeyExpiry, type Keyring, type Principal, type OpenStreams } from '@baton/control';
import { isObject, isStorableText } from '@baton/primitives';
import { admitMessage } from '@baton/protocol';
import type { Clock } from '@baton/runner';
import { toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import { type McpHttpHandler, type Server, createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { letClientFinish } from '../../http/answerProblem.ts';
import { asProblem } from '../../http/asProblem.ts';
import { type App, refusedBodies } from '../../http/edge.ts';
import { authOf, httpRequestIn } from '../../http/mcpRequest.ts';
import { whenClosed } from '../../http/whenClosed.ts';
import { type SessionsOptions, McpSessions } from '../../mcp/sessions.ts';
import { isListening } from '../../mcp/subscriptions.ts';

export interface McpEndpointOptions {
  readonly clock: Clock;
  /** Between the orchestrators: see `MessageRelay`. */
  readonly channels: SessionsOptions['channels'];
  readonly seal: SessionsOptions['seal'];
  readonly keyring: Pick<Keyring, 'isGood'>;
  readonly readers: OpenStreams;
  readonly log: Logger;
  readonly lifecycle: Pick<Lifecycle, 'onStop'>;
}

export interface McpEndpointServers {
  readonly url: string;
  readonly access: Access;
  /** For revisions before 2026-07-28: one server per session. */
  readonly legacy: (principal: Principal) => Server;
  /** For 2026-07-28 and later: one server per request. */
  readonly modern: (principal: Principal) => Server;
  /** The caller as it may act here. Throws `ProblemError` if it may not use the endpoint. */
  readonly admitted?: (principal: Principal) => Principal;
  /** Throws `ProblemError` if the key may not use the endpoint, or the client lacks a scope for the request. */
  readonly check?: (principal: Principal, body: unknown) => void;
  readonly isClosed?: SessionsOptions['isClosed'];
  readonly onClosed?: SessionsOptions['onClosed'];
  /** The request with only what its key may listen to. */
  readonly listen?: (
    request: FastifyRequest,
    reply: FastifyReply,
    notify: McpHttpHandler['notify'],
  ) => Promise<unknown>;
}

export interface McpEndpoint {
  readonly sessions: McpSessions;
  readonly notify: McpHttpHandler['notify'];
}

export function mcpEndpoint(app: App, options: McpEndpointOptions, face: McpEndpointServers): McpEndpoint {
  const { log, lifecycle, readers, clock, channels, seal } = options;
  const { url, access, legacy: create, isClosed, onClosed, listen } = face;
  const more = {
    ...(isClosed && { isClosed }),
    ...(onClosed && { onClosed }),
  };
  const sessions = new McpSessions({ clock, channels, seal, create, ...more });
  const onerror = (error: Error): void => log.debug({ err: error }, 'an MCP client sent an unexpected message');
  const modern = createMcpHandler(({ authInfo }) => face.modern(httpRequestIn(authInfo).principal), {
    legacy: 'reject',
    onerror,
  });
  const answerModern = toNodeHandler(modern, { onerror });
  lifecycle.onStop(url, async () => {
    await Promise.all([sessions.close(), modern.close()]);
  });
  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { raw } = request;
    const principal = face.admitted?.(request.principal) ?? request.principal;
    const body = admitMessage(request.body);
    if (takesAnything(raw)) raw.headers.accept = answered;
    face.check?.(principal, body);
    // Only listening streams are watched. A call ends by itself; ending it early would cancel its run.
    if (raw.method === 'GET' || isListening(body)) {
      whenClosed(reply.raw, readers.enter(principal));
      whenClosed(
        reply.raw,
        // Its rights, and not what `admitted` leaves of them, are compared with those that it has later.
        watchKeyExpiry(options, request.principal, () => reply.raw.destroy()),
      );
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
    app.route({ method, url, config: { access }, handler: handle, errorHandler: answerRefusedBody });
  }
  return { sessions, notify: modern.notify };
}

/** The forms of an answer, as a client must name them. */
const answered = 'application/json, text/event-stream';

/** Also a client that names no form, or any. */
const takesAnything = ({ method, headers: { accept } }: IncomingMessage): boolean =>
  method === 'POST' && (accept === undefined || /(?:^|,)\s*\*\/\*\s*(?:[;,]|$)/.test(accept));

const refusedStatuses: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/**
 * Answers a refused body with a JSON-RPC error (2.0, section 5.1), and other problems as everywhere. Clients match only
 * answers with status 200 to a waiting call, so an error with the id of a call has that status.
 */
function answerRefusedBody(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = asProblem(error);
  const { status, detail, errors } = problem;
  const body = refusedBodies.get(request);
  if (!refusedStatuses.has(status) || (body === undefined && status === 422)) throw error;
  const id = body === undefined ? null : callIdIn(body);
  letClientFinish(problem, request, reply);
  if (body !== undefined && id !== null && isOfArguments(body, errors)) {
    void reply.code(200).send({ jsonrpc: '2.0', id, result: refusedArguments(errors) });
    return;
  }
  const isSyntax = errors.some((one) => one.code === 'json-syntax');
  const unreadable = isSyntax ? rpcCodes.parseError : rpcCodes.invalidRequest;
  const code = id === null || isSyntax ? unreadable : rpcCodes.invalidParams;
  const data = errors.length === 0 ? {} : { data: { errors } };
  void reply.code(id === null ? status : 200).send({ jsonrpc: '2.0', id, error: { code, message: detail, ...data } });
}

/** Error codes of JSON-RPC 2.0, section 5.1. */
const rpcCodes = { parseError: -32_700, invalidRequest: -32_600, invalidParams: -32_602 } as const;

/** Whether all faults are in the arguments of a tool. */
function isOfArguments(body: Buffer, errors: readonly ProblemDetail[]): boolean {
  const isInArguments = ({ pointer = '' }: { readonly pointer?: string }): boolean =>
    pointer.startsWith(argumentsPointer);
  return errors.length > 0 && errors.every(isInArguments) && methodIn(body) === 'tools/call';
}

const argumentsPointer = '/params/arguments/';

function methodIn(body: Buffer): unknown {
  const message: unknown = JSON.parse(body.toString('utf8'));
  return isObject(message) ? message['method'] : undefined;
}

/** A result, so that the model can correct its call (MCP 2025-11-25, server/tools, error handling). */
const refusedArguments = (errors: readonly ProblemDetail[]) => ({
  content: [
    {
      type: 'text',
      text: errors
        .map(({ pointer = '', message }) => `${pointer.slice(argumentsPointer.length - 1)}: ${message}`)
        .join('\n'),
    },
  ],
  isError: true,
  resultType: 'complete',
});

/** The id of the request in a refused body that is JSON; null if there is none. */
function callIdIn(body: Buffer): string | number | null {
  try {
    const message: unknown = JSON.parse(body.toString('utf8'));
    if (!isObject(message) || typeof message['method'] !== 'string') return null;
    const { id } = message;
    return (typeof id === 'string' && isStorableText(id)) || Number.isSafeInteger(id) ? (id as string | number) : null;
  } catch {
    return null;
  }
}

/** The same object: the SDK's type ignores that Node's `method` may be undefined. */
const asNode = (request: IncomingMessage) => request as IncomingMessage & { method: string; url: string };
