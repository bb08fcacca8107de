/** `/mcp`: Baton as an MCP server. */
import type { Access } from '@baton/api';
import { checkScopes, isAuthoring, isGeneral, type Principal } from '@baton/control';
import { isObject } from '@baton/primitives';

import type { App } from '../../http/edge.ts';
import { whenClosed } from '../../http/whenClosed.ts';
import { checkScope } from '../../mcp/generalTools.ts';
import { type McpOptions, createMcpServer } from '../../mcp/mcpServer.ts';
import { uriOf } from '../../mcp/runUris.ts';
import { subscribedRunIds, withOnlyRuns, positionOf, RunSubscriptions } from '../../mcp/subscriptions.ts';
import { type McpEndpointOptions, type McpEndpointServers, mcpEndpoint } from './mcpEndpoint.ts';

export interface McpRouteOptions extends Omit<McpOptions, 'subscriptions'>, McpEndpointOptions {
  /** Reads positions of journals. Rejects with `UnavailableError`. */
  readonly positions: ConstructorParameters<typeof RunSubscriptions>[0]['positions'];
}

const access: Access = ['runs:read', 'runs:write', 'workflows:write', 'questions:answer'];

export function mcpRoutes(app: App, { positions, ...given }: McpRouteOptions): void {
  const { clock, watches } = given;
  const subscriptions = new RunSubscriptions({ watches, clock, positions });
  const options = { ...given, subscriptions };
  /** Subscribes to what the request names, while it is open. Returns the request with only what its key may see. */
  const listen: McpEndpointServers['listen'] = async ({ body, principal }, { raw }, notify) => {
    const tell = (runId: string): void => notify.resourceUpdated(uriOf(runId));
    const reached: string[] = [];
    for (const runId of subscribedRunIds(body)) {
      const position = await positionOf(options, principal, runId);
      if (position === undefined) continue;
      reached.push(runId);
      whenClosed(raw, subscriptions.subscribe(runId, position, tell));
    }
    return withOnlyRuns(body, reached);
  };
  mcpEndpoint(app, options, {
    url: '/mcp',
    access,
    legacy: (principal) => createMcpServer(options, principal, 'legacy'),
    modern: (principal) => createMcpServer(options, principal, 'modern'),
    listen,
    check: checkToolScope,
  });
}

/**
 * Refuses the request of a client that lacks the scope of a tool, so that it asks the person for it (MCP,
 * basic/authorization, "Step-Up Authorization Flow"). A key gets the answer of the tool.
 */
function checkToolScope(principal: Principal, body: unknown): void {
  if (principal.client === undefined || !isObject(body) || body['method'] !== 'tools/call') return;
  const { params } = body;
  const name = isObject(params) ? params['name'] : undefined;
  if (typeof name !== 'string') return;
  if (isGeneral(name)) checkScope(principal, name);
  else if (isAuthoring(name)) checkScopes(principal, ['workflows:write']);
}
