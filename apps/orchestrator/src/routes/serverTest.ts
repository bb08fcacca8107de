/** A configured MCP server, tried now: connected to, and asked what it offers. No tool is called. */
import type { Servers } from '@baton/transports';
import * as z from 'zod';

import type { Access, App } from '../http/edge.ts';
import { AnyValue } from '../shapes/values.ts';

const access: Access = ['servers:approve', 'workflows:write'];

const Tested = z
  .strictObject({
    name: z.string(),
    protocolVersion: z.string(),
    server: AnyValue.optional().meta({ description: 'How it introduced itself.' }),
    tools: z.int(),
    prompts: z.int(),
    resources: z.int().meta({ description: 'Resource templates too.' }),
    problems: z.array(z.string()).meta({ description: 'What of it cannot be used, and why.' }),
  })
  .meta({ id: 'TestedServer' });

export interface ServerTestOptions {
  readonly servers: Pick<Servers, 'test'>;
  /** Throws `ProblemError` where there is no such server. */
  readonly nameOf: (name: string) => string;
}

export function serverTestRoute(app: App, { servers, nameOf }: ServerTestOptions): void {
  app.post(
    '/v1/servers/:name/test',
    {
      config: { access },
      schema: {
        tags: ['Servers'],
        summary: 'Connect to a server now, however it was doing',
        params: z.strictObject({ name: z.string() }),
        response: { 200: Tested },
      },
    },
    async ({ params }) => {
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
    },
  );
}
