/** The session of a gateway request and its options, from its address, its connection and its client. */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';

import { ProblemError } from '@baton/api';
import type { Principal } from '@baton/control';
import { limits } from '@baton/expressions';
import {
  type ClientCapabilities,
  type Implementation,
  type Server,
  type ServerContext,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';

import { httpRequestIn } from '../http/mcpRequest.ts';
import { sessionNameOf } from '../mcp/sessionId.ts';
import type { SessionClient } from './sessionRuns.ts';

export interface GatewayRequest {
  readonly principal: Principal;
  readonly response: ServerResponse;
  /** Name of the session. */
  readonly session: string;
  /** Name of the connection. */
  readonly connection: string;
  /** The only servers that are offered; undefined: all. */
  readonly servers: readonly string[] | undefined;
  /** The client searches tools instead of listing them. */
  readonly searchesTools: boolean;
  readonly capabilities: ClientCapabilities;
  readonly client: SessionClient;
}

/** Throws `ProblemError` for an invalid name. */
export function gatewayRequestOf(server: Server, context: ServerContext): GatewayRequest {
  const { principal, url, response, request } = httpRequestIn(context.http?.authInfo);
  const { mcpReq, sessionId } = context;
  const envelope = mcpReq.envelope as Partial<Record<string, unknown>> | undefined;
  const info = (envelope?.[CLIENT_INFO_META_KEY] ?? server.getClientVersion()) as Implementation | undefined;
  const capabilities = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ??
    server.getClientCapabilities() ??
    {}) as ClientCapabilities;
  const negotiated = envelope?.[PROTOCOL_VERSION_META_KEY] ?? server.getNegotiatedProtocolVersion();
  const protocol = typeof negotiated === 'string' ? negotiated : '';
  const { name = 'client', version = '' } = info ?? {};
  const ableText = JSON.stringify(capabilities);
  const given = url.searchParams.get('session');
  const servers = url.searchParams.get('servers');
  const find = url.searchParams.get('find');
  return {
    principal,
    response,
    session: given === null ? sessionOf(sessionId, name) : sessionNameFrom(given),
    connection: connectionName(request.ip, sessionId),
    servers: servers === null ? undefined : servers.split(',').filter((one) => one !== ''),
    searchesTools: find !== null && find !== '0' && find !== 'false',
    capabilities,
    client: {
      name: name.slice(0, nameMax),
      version: version.slice(0, nameMax),
      protocol: protocol.slice(0, nameMax),
      capabilities: ableText.length > capabilitiesMax ? '{}' : ableText,
    },
  };
}

/**
 * The same for all requests of one MCP connection that come from one address. A client may use any number of sockets at
 * once, so these tell nothing.
 */
const connectionName = (address: string, id = ''): string =>
  createHash('sha256').update(`${address} ${id}`).digest('hex').slice(0, 16);

/** From 2026-07-28 on, a connection has no id. */
const sessionOf = (id: string | undefined, client: string): string =>
  (id === undefined ? `client ${client}` : sessionNameOf(id)).slice(0, nameMax);

const nameMax = limits.session.nameCharacters;
const capabilitiesMax = 4_000;

function sessionNameFrom(given: string): string {
  if (given !== '' && given.length <= nameMax) return `named ${given}`;
  throw new ProblemError('validation-failed', `The name of a session has 1 to ${nameMax} characters.`);
}
