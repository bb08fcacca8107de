/** `/mcp/gateway`: the configured servers, for agents that work through Baton. */
import { ProblemError } from '@baton/api';
import { type Principal, atGateway, gatewayAccess } from '@baton/control';
import { unawaited } from '@baton/primitives';

import type { CatalogueChanges } from '../../gateway/catalogueChanges.ts';
import { GatewayCalls } from '../../gateway/gatewayCalls.ts';
import { type GatewayOptions, createGatewayServer } from '../../gateway/gatewayServer.ts';
import { SeenTools } from '../../gateway/seenTools.ts';
import { type SessionRunsOptions, SessionRuns } from '../../gateway/sessionRuns.ts';
import type { App } from '../../http/edge.ts';
import { sessionNameOf } from '../../mcp/sessionId.ts';
import { type McpEndpointOptions, mcpEndpoint } from './mcpEndpoint.ts';

export interface GatewayRouteOptions
  extends Omit<GatewayOptions, 'calls' | 'seen' | 'runs'>, SessionRunsOptions, McpEndpointOptions {
  /** Absent: changes are not announced. */
  readonly changes?: CatalogueChanges | undefined;
}

export function gatewayRoutes(app: App, given: GatewayRouteOptions): void {
  const runs = new SessionRuns(given);
  const calls = new GatewayCalls({ ...given, runs });
  const options = { ...given, runs, calls, seen: new SeenTools() };
  const isClosed = (principal: Principal, id: string): Promise<boolean> => runs.isClosed(principal, sessionNameOf(id));
  const onClosed = (principal: Principal, id: string): void => {
    // If this fails, the run ends by itself later.
    void close(principal, id).catch((error: unknown) =>
      given.log.debug({ err: error }, 'the session with the server was not closed'),
    );
  };
  const close = async (principal: Principal, id: string): Promise<void> => {
    const runId = await runs.find(principal, sessionNameOf(id));
    if (runId !== undefined) await calls.close(runId, principal.by);
  };
  const { sessions, notify } = mcpEndpoint(app, given, {
    url: '/mcp/gateway',
    access: gatewayAccess,
    legacy: () => createGatewayServer(options, 'legacy'),
    modern: () => createGatewayServer(options, 'modern'),
    admitted: principalAt,
    isClosed,
    onClosed,
  });
  const tell = (): void => {
    notify.toolsChanged();
    notify.promptsChanged();
    notify.resourcesChanged();
    sessions.tell((server) => {
      const told = [server.sendToolListChanged(), server.sendPromptListChanged(), server.sendResourceListChanged()];
      unawaited(Promise.allSettled(told));
    });
  };
  const stop = given.changes?.listen(tell);
  if (stop !== undefined) given.lifecycle.onStop('catalogue changes', async () => stop());
}

/** Throws `ProblemError`. */
function principalAt(caller: Principal): Principal {
  const principal = atGateway(caller);
  if (principal !== undefined) return principal;
  const detail =
    'The gateway is not for those who are limited to workflows: its calls belong to none. Connect at /mcp.';
  throw new ProblemError('forbidden', detail);
}
