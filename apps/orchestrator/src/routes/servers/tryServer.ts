/** The route that tests a server now: connects and lists, and calls no tool. */
import { routes } from '@baton/api';
import { answerFor } from '@baton/control';
import type { Servers } from '@baton/transports';

import type { App } from '../../http/edge.ts';
import { route } from '../../http/route.ts';

export interface TryServerOptions {
  readonly servers: Pick<Servers, 'test'>;
  /** Throws `ProblemError` for an unknown server. */
  readonly nameOf: (name: string) => string;
}

export function tryServerRoute(app: App, { servers, nameOf }: TryServerOptions): void {
  route(app, routes.testServer, async ({ params, principal }) => {
    const name = nameOf(params.name);
    const { protocolVersion, server, tools, prompts, resources, resourceTemplates, problems } = await answerFor(
      principal,
      servers.test(name),
    );
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
