/** A configured MCP server, tried now: connected to, and asked what it offers. No tool is called. */
import { routes } from '@baton/api';
import type { Servers } from '@baton/transports';

import type { App } from '../../http/edge.ts';
import { route } from '../../http/route.ts';

export interface TryServerOptions {
  readonly servers: Pick<Servers, 'test'>;
  /** Throws `ProblemError` where there is no such server. */
  readonly nameOf: (name: string) => string;
}

export function tryServerRoute(app: App, { servers, nameOf }: TryServerOptions): void {
  route(app, routes.testServer, async ({ params }) => {
    const name = nameOf(params.name);
    const { protocolVersion, server, tools, prompts, resources, resourceTemplates, problems } =
      await servers.test(name);
    return {
      name,
      protocolVersion,
      ...(server === undefined ? {} : { server }),
      tools: tools.length,
      prompts: prompts.length,
      resources: resources.length + resourceTemplates.length,
      problems: [...problems],
    };
  });
}
