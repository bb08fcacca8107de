/** The OpenAPI 3.1 document, from the schemas by which requests are checked. */
import swagger from '@fastify/swagger';
import type { FastifyContextConfig, FastifySchema } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';

import type { Access, App } from './edge.ts';
import { edgeLimits } from './edgeLimits.ts';
import { Problem } from './problemShape.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Bodies that are taken as text: the document says so, the route reads them itself. */
    textBody?: { readonly description: string; readonly types: Readonly<Record<string, object>> };
  }
}

export async function documentRoutes(
  app: App,
  { version, serverUrl }: { version: string; serverUrl?: string | undefined },
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Baton',
        version,
        description:
          'Durable workflows over MCP. Times are RFC 3339 in UTC, errors are RFC 9457 problems, lists are cursor pages.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      ...(serverUrl === undefined ? {} : { servers: [{ url: serverUrl }] }),
      components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key.' } } },
      tags: [
        { name: 'Workflows', description: 'Definitions and their versions.' },
        { name: 'Runs', description: 'Starting, following and stopping runs.' },
        { name: 'Questions', description: 'What runs ask people.' },
        { name: 'Schedules', description: 'What starts runs by the clock.' },
        { name: 'Servers', description: 'The configured MCP servers, and what they offer.' },
        { name: 'Secrets', description: 'Values that workflows and servers name, and nobody reads.' },
        { name: 'Audit', description: 'What happened, and that it is what happened.' },
        { name: 'Keys', description: 'Who may do what.' },
        { name: 'Service', description: 'The service itself.' },
      ],
    },
    transform: (document) => {
      const { schema, route } = document;
      const { access, textBody } = (route.config ?? {}) as { access?: Access; textBody?: TextBody };
      if (schema === undefined || schema.hide === true) return jsonSchemaTransform(document);
      const answers = { ...schema, response: withProblems(schema, access) };
      const told = jsonSchemaTransform({ ...document, schema: answers });
      const isPublic = access === 'public';
      const security = isPublic ? [] : [{ apiKey: [] }];
      const description = [schema.description, isPublic ? '' : scopeNote(access)].filter(Boolean).join('\n\n');
      const body = textBody === undefined ? {} : { body: textBodyOf(textBody) };
      return { ...told, schema: { ...told.schema, ...body, security, description } };
    },
    transformObject: jsonSchemaTransformObject,
  });
}

type TextBody = NonNullable<FastifyContextConfig['textBody']>;

const textBodyOf = ({ description, types }: TextBody): object => ({
  description: `${description} At most ${edgeLimits.bodyBytes} bytes.`,
  required: true,
  content: Object.fromEntries(Object.entries(types).map(([type, schema]) => [type, { schema }])),
});

const scopeNote = (access: readonly string[] = []): string =>
  `Needs a key with the scope ${(access.length === 0 ? ['admin'] : access).map((scope) => `\`${scope}\``).join(' or ')}.`;

/** Every answer that is no success is a problem. */
function withProblems({ response }: FastifySchema, access: Access | undefined): object {
  const content = { 'application/problem+json': { schema: Problem } };
  const statuses = access === 'public' ? [] : [401, 403];
  const usual = [...statuses, '4xx', '5xx'].map((status) => [status, { description: 'A problem.', content }] as const);
  return { ...Object.fromEntries(usual), ...(response as object | undefined) };
}
