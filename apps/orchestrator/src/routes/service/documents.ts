/** Descriptions for programs: the OpenAPI document, and the schema of workflows. */
import { type Access, openApiDocument, routes } from '@baton/api';
import { workflowJsonSchema } from '@baton/language';
import { once } from '@baton/primitives';

import type { App } from '../../http/edge.ts';
import { route } from '../../http/route.ts';

interface DocumentOptions {
  readonly version: string;
  readonly serverUrl: string | undefined;
  readonly metricsAccess: Access;
}

export function documentRoutes(app: App, options: DocumentOptions): void {
  // Made on the first request: making them takes a tenth of a second.
  let document: string | undefined;
  const asIs = (body: unknown): string => String(body);
  app.get('/openapi.json', { config: { access: 'public' } }, async (_request, reply) => {
    document ??= JSON.stringify(openApiDocument(options));
    return reply.type('application/json').serializer(asIs).send(document);
  });
  const schema = once(workflowJsonSchema);
  route(app, routes.getWorkflowSchema, async (_request, reply) =>
    reply.type('application/schema+json').send({ ...schema() }),
  );
}
