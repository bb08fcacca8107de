/** What describes the service to programs: the API, and the language of workflows. */
import { workflowJsonSchema } from '@baton/language';
import * as z from 'zod';

import type { App } from '../http/edge.ts';

export function documentsRoutes(app: App): void {
  // Written once: both change with the program only.
  let api: string | undefined;
  const schema = workflowJsonSchema();
  const asIs = (text: unknown): string => String(text);
  app.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) => {
    api ??= JSON.stringify(app.swagger());
    return reply.type('application/json').serializer(asIs).send(api);
  });
  app.get(
    '/schema/workflow.json',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Workflows'],
        summary: 'JSON Schema of workflow files, for editors',
        response: {
          200: { description: 'The schema.', content: { 'application/schema+json': { schema: z.looseObject({}) } } },
        },
      },
    },
    async (_request, reply) => reply.type('application/schema+json').send({ ...schema }),
  );
}
