/**
 * Goal: `null` of every member that may be absent is absent, and `[]` for every object is `{}`, in every message.
 *
 * Method: the schemas of the MCP SDK, written as JSON Schema, name each object and each of its members. For each of
 * them a smallest message is made, with the member set to `null`; what is read must be the message without it.
 */
import { isObject } from '@baton/primitives';
import * as mcp from '@modelcontextprotocol/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { admitMessage, admitOAuth, admitResult } from './admit.ts';

type Schema = Readonly<Record<string, unknown>>;

/** An object somewhere in a message: `around` puts a value in its place. */
interface Place {
  readonly path: string;
  readonly schema: Schema;
  readonly around: (value: unknown) => unknown;
}

const asSchema = (value: unknown): Schema => (isObject(value) ? value : {});
const optionsOf = ({ anyOf, oneOf, allOf }: Schema): readonly Schema[] =>
  ([anyOf, oneOf, allOf].find(Array.isArray) ?? []).map(asSchema);
const propertiesOf = ({ properties }: Schema): readonly [string, Schema][] =>
  Object.entries(asSchema(properties)).map(([key, one]) => [key, asSchema(one)]);
const requiredIn = ({ required }: Schema): readonly unknown[] => (Array.isArray(required) ? required : []);

/** The smallest value of a schema; its texts and numbers need not be valid, for the door does not look at them. */
function smallest(schema: Schema): unknown {
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const [option] = optionsOf(schema);
  if (option !== undefined) return smallest(option);
  if (schema['type'] === 'array') return [];
  if (schema['type'] === 'number' || schema['type'] === 'integer') return 1;
  if (schema['type'] === 'boolean') return true;
  if (schema['type'] !== 'object') return 'x';
  const needed = propertiesOf(schema).filter(([key]) => requiredIn(schema).includes(key));
  return Object.fromEntries(needed.map(([key, one]) => [key, smallest(one)]));
}

function* placesIn(schema: Schema, path: string, around: Place['around'], depth = 0): Generator<Place> {
  if (depth > 12) return;
  for (const [at, option] of optionsOf(schema).entries()) {
    // An intersection has the members of both sides.
    const rest = Array.isArray(schema['allOf']) ? asSchema(smallest(optionsOf(schema)[1 - at] ?? {})) : {};
    const within = (value: unknown): unknown => around(isObject(value) ? { ...rest, ...value } : value);
    yield* placesIn(option, `${path}|${at}`, within, depth + 1);
  }
  if (schema['type'] === 'array') {
    yield* placesIn(asSchema(schema['items']), `${path}[]`, (value) => around([value]), depth + 1);
  }
  if (schema['type'] !== 'object') return;
  yield { path, schema, around };
  const own = asSchema(smallest(schema));
  for (const [key, one] of propertiesOf(schema)) {
    yield* placesIn(one, `${path}.${key}`, (value) => around({ ...own, [key]: value }), depth + 1);
  }
  const entry = asSchema(schema['additionalProperties']);
  yield* placesIn(entry, `${path}.*`, (value) => around({ ...own, anyKey: value }), depth + 1);
}

const allowsNull = (schema: Schema): boolean =>
  Object.keys(schema).length === 0 ||
  '$ref' in schema ||
  [schema['type']].flat().includes('null') ||
  optionsOf(schema).some(allowsNull);

const jsonSchemaOf = (schema: z.ZodType): Schema => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });

/** Schemas of tools are JSON Schema: the catalogue reads them. */
const isOfTools = ({ path }: Place): boolean => /\.(input|output)Schema\b/.test(path);
const placesOf = (schema: z.ZodType): Place[] =>
  [...placesIn(jsonSchemaOf(schema), '', (value) => value)].filter((place) => !isOfTools(place));

const results = {
  initialize: mcp.InitializeResultSchema,
  'server/discover': mcp.DiscoverResultSchema,
  ping: mcp.EmptyResultSchema,
  'logging/setLevel': mcp.EmptyResultSchema,
  'resources/subscribe': mcp.EmptyResultSchema,
  'resources/unsubscribe': mcp.EmptyResultSchema,
  'completion/complete': mcp.CompleteResultSchema,
  'tools/list': mcp.ListToolsResultSchema,
  'prompts/list': mcp.ListPromptsResultSchema,
  'resources/list': mcp.ListResourcesResultSchema,
  'resources/templates/list': mcp.ListResourceTemplatesResultSchema,
  'tools/call': mcp.CallToolResultSchema,
  'prompts/get': mcp.GetPromptResultSchema,
  'resources/read': mcp.ReadResourceResultSchema,
  'tasks/get': mcp.GetTaskResultSchema,
  'tasks/result': mcp.CallToolResultSchema,
  'tasks/cancel': mcp.CancelTaskResultSchema,
};

const calls = [
  mcp.ServerRequestSchema,
  mcp.ClientRequestSchema,
  mcp.ServerNotificationSchema,
  mcp.ClientNotificationSchema,
].flatMap(({ options }) => options as readonly z.ZodType[]);

const documents = {
  tokens: mcp.OAuthTokensSchema,
  'metadata of an authorization server': mcp.OAuthMetadataSchema,
  'metadata of OpenID': mcp.OpenIdProviderDiscoveryMetadataSchema,
  'metadata of a resource': mcp.OAuthProtectedResourceMetadataSchema,
  'a registration': mcp.OAuthClientInformationFullSchema,
  'a refusal': mcp.OAuthErrorResponseSchema,
};

const methodOf = (schema: z.ZodType): string => String(asSchema(smallest(jsonSchemaOf(schema)))['method']);

const doors: readonly (readonly [string, z.ZodType, (value: unknown) => unknown])[] = [
  ...Object.entries(results).map(
    ([method, schema]) => [`the result of ${method}`, schema, (value: unknown) => admitResult(method, value)] as const,
  ),
  ...calls.map((schema) => [methodOf(schema), schema, admitMessage] as const),
  ...(mcp.ClientResultSchema.options as readonly z.ZodType[]).map(
    (schema, at) =>
      [
        `the answer ${at} of a client`,
        schema,
        (result: unknown) => asSchema(admitMessage({ jsonrpc: '2.0', id: 1, result }))['result'],
      ] as const,
  ),
  ...Object.entries(documents).map(([name, schema]) => [name, schema, admitOAuth] as const),
];

describe.each(doors)('%s', (_, schema, admit) => {
  const places = placesOf(schema);

  test('is read without the null of each member that may be absent', () => {
    const wrong = places.flatMap(({ path, schema: at, around }) => {
      const own = asSchema(smallest(at));
      const omissible = propertiesOf(at).filter(([key, one]) => !requiredIn(at).includes(key) && !allowsNull(one));
      return omissible
        .filter(
          ([key]) => JSON.stringify(admit(around({ ...own, [key]: null }))) !== JSON.stringify(admit(around(own))),
        )
        .map(([key]) => `${path}.${key}`);
    });
    expect(wrong).toEqual([]);
  });

  test('is read with an object for the empty list of each', () => {
    const own = places.filter(({ schema: at }) => requiredIn(at).length === 0);
    const wrong = own.filter(({ around }) => JSON.stringify(admit(around([]))) !== JSON.stringify(admit(around({}))));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test('is left as it is where nothing is null', () => {
    for (const { around, schema: at } of places) {
      const message = around(smallest(at));
      expect(admit(message)).toEqual(message);
    }
  });
});

test('null stays where it is a value: in arguments, structured content, data of a log, the time to live of a task', () => {
  const call = { method: 'tools/call', params: { name: 'x', arguments: { a: null, b: [] } } };
  expect(admitMessage(call)).toEqual(call);
  const result = { content: [], structuredContent: { a: null, b: [] }, _meta: { own: null } };
  expect(admitResult('tools/call', result)).toEqual(result);
  const log = { method: 'notifications/message', params: { level: 'info', data: null } };
  expect(admitMessage(log)).toEqual(log);
  const task = { taskId: 't', status: 'working', ttl: null, createdAt: 'x', lastUpdatedAt: 'x' };
  expect(admitResult('tasks/get', task)).toEqual(task);
});

test('questions in place of a result are read like the requests that they hold', () => {
  const elicitation = {
    method: 'elicitation/create',
    params: {
      message: 'Which?',
      requestedSchema: { type: 'object', properties: { a: { type: 'string', default: null } } },
    },
  };
  const read = admitResult('tools/call', {
    resultType: 'input_required',
    inputRequests: { a: elicitation },
    requestState: null,
  });
  expect(read).toMatchObject({
    inputRequests: { a: { params: { requestedSchema: { properties: { a: { type: 'string' } } } } } },
  });
  expect(JSON.stringify(read)).not.toContain('null');
});

test('an envelope holds no null beside what it holds', () => {
  expect(admitMessage({ id: 1, result: {}, error: null })).toEqual({ id: 1, result: {} });
  expect(admitMessage({ id: 1, result: null, error: { code: 1 } })).toEqual({ id: 1, error: { code: 1 } });
  expect(admitMessage({ method: 'ping', id: 1, params: null })).toEqual({ method: 'ping', id: 1 });
});
