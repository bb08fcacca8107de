/** A request that passed a route of MCP, on its way through the SDK. */
import type { ServerResponse } from 'node:http';

import type { Principal } from '@baton/control';
import type { FastifyRequest } from 'fastify';

/** The HTTP request, for handlers that need more than MCP passes on. */
export interface McpHttpRequest {
  readonly principal: Principal;
  readonly url: URL;
  readonly response: ServerResponse;
  readonly request: FastifyRequest;
}

/** The edge has checked the key; it travels through the SDK with its request. */
export const authOf = (passage: McpHttpRequest) => ({
  token: '',
  clientId: passage.principal.id,
  scopes: [...passage.principal.scopes],
  extra: { passage },
});

/** Throws if the request passed no route of MCP. */
export function httpRequestIn(authInfo: { readonly extra?: Record<string, unknown> } | undefined): McpHttpRequest {
  const passage = authInfo?.extra?.['passage'];
  if (passage === undefined) throw new Error('a request reached MCP without having passed the edge');
  return passage as McpHttpRequest;
}
