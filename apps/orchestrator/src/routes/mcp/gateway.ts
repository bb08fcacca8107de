/** `/mcp/gateway`: the configured servers, for agents that work through Baton. */
import { type Access, ProblemError } from '@baton/api';
import { type Principal, onAnything, withScope } from '@baton/control';
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

/** A call needs the right to start runs. */
const access = ['runs:write'] as const satisfies Access;

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
    access,
    legacy: () => createGatewayServer(options, 'legacy'),
    modern: () => createGatewayServer(options, 'modern'),
    admitted: atGateway,
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

/** Calls at the gateway belong to no workflow, so a key that is limited to workflows may make none. */
function atGateway(caller: Principal): Principal {
  const principal = onAnything(withScope(caller, access));
  if (principal.workflows === undefined) return principal;
  throw new ProblemError('forbidden', 'A key that is limited to workflows cannot use the gateway.');
}
