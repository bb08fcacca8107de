/** What describes the service to programs: the API, and the language of workflows. */
import { routes } from '@baton/api';
import { workflowJsonSchema } from '@baton/language';

import type { App } from '../http/edge.ts';
import { route } from '../http/route.ts';

export function documentsRoutes(app: App): void {
  // Written once: both change with the program only.
  let api: string | undefined;
  const schema = workflowJsonSchema();
  const asIs = (text: unknown): string => String(text);
  app.get('/openapi.json', { config: { access: 'public' } }, async (_request, reply) => {
    api ??= JSON.stringify(app.swagger());
    return reply.type('application/json').serializer(asIs).send(api);
  });
  route(app, routes.getWorkflowSchema, async (_request, reply) =>
    reply.type('application/schema+json').send({ ...schema }),
  );
}
