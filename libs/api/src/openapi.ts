/** The OpenAPI 3.1 document, made from the routes. */
import { defined } from '@baton/primitives';
import * as z from 'zod';

import { apiLimits } from './apiLimits.ts';
import { problemType } from './problems.ts';
import type { ContentAnswer, Route } from './route.ts';
import { routes } from './routes.ts';
import { ProblemSchema } from './schemas/problem.ts';
import { sessionCookie } from './schemas/session.ts';
import { LargeSchema } from './schemas/values.ts';
import type { Access } from './scopes.ts';

export interface DocumentOptions {
  readonly version: string;
  /** Public address of the service. Absent: clients use the address of the document. */
  readonly serverUrl?: string | undefined;
  /** Access to the metrics, if it differs from the route's. */
  readonly metricsAccess?: Access | undefined;
}

interface Media {
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}

export interface DocumentParameter {
  readonly in: string;
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
  readonly schema: object;
}

interface DocumentOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly object[];
  readonly parameters?: readonly DocumentParameter[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, Media>>;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: object;
  readonly servers?: readonly object[];
  readonly tags: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  readonly components: { readonly securitySchemes: object; readonly schemas: Readonly<Record<string, object>> };
}

const tags = [
  { name: 'Workflows', description: 'Definitions and their versions.' },
  { name: 'Runs', description: 'Starting, following and stopping runs.' },
  { name: 'Questions', description: 'Questions of runs to people.' },
  { name: 'Schedules', description: 'Start runs at set times.' },
  { name: 'Polls', description: 'Start runs for what is new at a tool that reads.' },
  { name: 'Servers', description: 'The configured MCP servers, with their tools, prompts and resources.' },
  { name: 'Secrets', description: 'Values that workflows and servers refer to by name. The API never returns them.' },
  { name: 'Budgets', description: 'What the workflows of a pattern may use in a day or a month.' },
  { name: 'Audit', description: 'Records of changes and calls, with proof that they were not altered.' },
  { name: 'Keys', description: 'API keys and their rights.' },
  { name: 'Sessions', description: 'Browsers that logged in with a key.' },
  { name: 'Service', description: 'The service itself.' },
];

export function openApiDocument({ version, serverUrl, metricsAccess }: DocumentOptions): OpenApiDocument {
  const getMetrics: Route = { ...routes.getMetrics, ...(metricsAccess && { access: metricsAccess }) };
  const all: readonly Route[] = Object.values({ ...routes, getMetrics });
  const schemas = new Schemas();
  const paths: Record<string, Record<string, DocumentOperation>> = {};
  for (const route of all) {
    const path = (paths[route.path.replaceAll(/:(\w+)/g, '{$1}')] ??= {});
    path[route.method.toLowerCase()] = operationOf(route, schemas);
  }
  // Registered here: any value in an answer may be large, so no schema refers to it.
  schemas.answered(LargeSchema);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Baton',
      version,
      description:
        'Durable workflows over MCP. Times are RFC 3339 in UTC, errors are RFC 9457 problems, lists are cursor pages.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    ...(serverUrl === undefined ? {} : { servers: [{ url: serverUrl }] }),
    tags,
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key.' },
        session: { type: 'apiKey', in: 'cookie', name: sessionCookie, description: 'The session of a browser.' },
      },
      schemas: schemas.named(),
    },
  };
}

function operationOf(route: Route, schemas: Schemas): DocumentOperation {
  const { name, tag, summary, access, params, query, headers } = route;
  const isPublic = access === 'public';
  const note = isPublic ? '' : needOf(access);
  const description = [route.description, note].filter(Boolean).join('\n\n');
  const parameters = [
    ...parametersOf('path', schemas.sent(params)),
    ...parametersOf('query', schemas.sent(query)),
    ...parametersOf('header', schemas.sent(headers)),
  ];
  const body = bodyOf(route, schemas);
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...(description === '' ? {} : { description }),
    security: isPublic ? [] : [{ apiKey: [] }, { session: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...defined({ requestBody: body }),
    responses: responsesOf(route, schemas),
  };
}

function needOf(access: Exclude<Access, 'public'>): string {
  if (access === 'any-key') return 'Needs a key, with any scopes.';
  return `Needs a key with the scope ${access.map((scope) => `\`${scope}\``).join(' or ')}.`;
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  readonly required?: readonly string[];
}

function parametersOf(where: string, schema: ObjectSchema | undefined): DocumentParameter[] {
  const { properties = {}, required = [] } = schema ?? {};
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    in: where,
    name,
    ...defined({ description }),
    required: required.includes(name),
    schema: rest,
  }));
}

function bodyOf({ body, text }: Route, schemas: Schemas): object | undefined {
  if (text !== undefined) {
    const content = Object.fromEntries(Object.entries(text.types).map(([type, schema]) => [type, { schema }]));
    return { description: `${text.description} At most ${apiLimits.bodyBytes} bytes.`, required: true, content };
  }
  if (body === undefined) return undefined;
  const isRequired = !body.safeParse(undefined).success;
  return { required: isRequired, content: { 'application/json': { schema: schemas.sent(body) } } };
}

/** The answers of the route; all other statuses are problems. */
function responsesOf({ access, answers }: Route, schemas: Schemas): Record<string, Media> {
  const problem = {
    description: 'A problem.',
    content: { [problemType]: { schema: schemas.answered(ProblemSchema) } },
  };
  const refused = access === 'public' ? ['4XX', '5XX'] : ['401', '403', '4XX', '5XX'];
  return {
    ...Object.fromEntries(refused.map((status) => [status, problem])),
    ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, mediaOf(answer, schemas)])),
  };
}

function mediaOf(answer: z.ZodType | ContentAnswer, schemas: Schemas): Media {
  if ('content' in answer) {
    const content = Object.entries(answer.content).map(([type, { schema }]) => [
      type,
      { schema: schemas.answered(schema) },
    ]);
    return { description: answer.description, content: Object.fromEntries(content) as Media['content'] & object };
  }
  const description = answer.meta()?.description ?? 'Success.';
  if (answer instanceof z.ZodNull) return { description: 'Success, without a body.' };
  return { description, content: { 'application/json': { schema: schemas.answered(answer) } } };
}

/** Converts Zod schemas into JSON Schemas: one with an id becomes a named component that others refer to. */
class Schemas {
  readonly #named = new Map<string, string>();

  sent(schema: z.ZodType | undefined): (object & ObjectSchema) | undefined {
    return schema && this.#convert(schema, 'input');
  }

  answered(schema: z.ZodType): object {
    return this.#convert(schema, 'output');
  }

  named(): Record<string, object> {
    const sorted = [...this.#named].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(sorted.map(([id, text]) => [id, JSON.parse(text) as object]));
  }

  #convert(schema: z.ZodType, io: 'input' | 'output'): object {
    const json = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
    const text = JSON.stringify({ ...json, $schema: undefined }).replaceAll('"#/$defs/', '"#/components/schemas/');
    const { $defs = {}, ...converted } = JSON.parse(text) as { $defs?: Record<string, object> };
    for (const [id, named] of Object.entries($defs)) this.#name(id, JSON.stringify(named));
    return converted;
  }

  #name(id: string, text: string): void {
    const before = this.#named.get(id);
    if (before !== undefined && before !== text) throw new Error(`two schemas of the document have the id "${id}"`);
    this.#named.set(id, text);
  }
}
