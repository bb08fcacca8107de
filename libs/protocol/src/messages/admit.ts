/**
 * The door for everything that servers and clients send: `null` where a member may be absent is absent, and `[]` where an
 * object belongs is `{}`. The rest stays as it came: its reader says what is wrong with it.
 */
import { isObject } from '@baton/primitives';
import * as mcp from '@modelcontextprotocol/core';
import type { z } from 'zod';

import { type Shape, shaped, shapeOf } from './shape.ts';

const choice = (...options: readonly z.core.$ZodType[]): Shape => ({ kind: 'choice', options: options.map(shapeOf) });

const tasks = [
  mcp.GetTaskRequestSchema,
  mcp.GetTaskPayloadRequestSchema,
  mcp.CancelTaskRequestSchema,
  mcp.ListTasksRequestSchema,
  mcp.TaskStatusNotificationSchema,
];
/** Requests and notifications, of both sides. */
const calls = choice(
  mcp.ServerRequestSchema,
  mcp.ClientRequestSchema,
  mcp.ServerNotificationSchema,
  mcp.ClientNotificationSchema,
  ...tasks,
);
const answersOfClients = choice(mcp.ClientResultSchema);

/** Questions in place of a result (2026-07-28), which the SDK has no schema for. */
const questions: Shape = {
  kind: 'object',
  members: new Map([
    ['inputRequests', { isOmissible: true, shape: { kind: 'map', value: { isOmissible: true, shape: calls } } }],
    ['requestState', { isOmissible: true, shape: { kind: 'plain' } }],
  ]),
  literals: new Map([['resultType', ['input_required']]]),
};
const withQuestions = (schema: z.core.$ZodType): Shape => ({
  kind: 'choice',
  options: [shapeOf(schema), shapeOf(mcp.CreateTaskResultSchema), questions],
});

const nothing = shapeOf(mcp.EmptyResultSchema);
const task = shapeOf(mcp.GetTaskResultSchema);

/** Results of servers, by method. */
const results: ReadonlyMap<string, Shape> = new Map([
  ['initialize', shapeOf(mcp.InitializeResultSchema)],
  ['server/discover', shapeOf(mcp.DiscoverResultSchema)],
  ['ping', nothing],
  ['logging/setLevel', nothing],
  ['resources/subscribe', nothing],
  ['resources/unsubscribe', nothing],
  ['completion/complete', shapeOf(mcp.CompleteResultSchema)],
  ['tools/list', shapeOf(mcp.ListToolsResultSchema)],
  ['prompts/list', shapeOf(mcp.ListPromptsResultSchema)],
  ['resources/list', shapeOf(mcp.ListResourcesResultSchema)],
  ['resources/templates/list', shapeOf(mcp.ListResourceTemplatesResultSchema)],
  ['tools/call', withQuestions(mcp.CallToolResultSchema)],
  ['prompts/get', withQuestions(mcp.GetPromptResultSchema)],
  ['resources/read', withQuestions(mcp.ReadResourceResultSchema)],
  ['tasks/get', { kind: 'choice', options: [task, shapeOf(mcp.CreateTaskResultSchema), questions] }],
  ['tasks/result', shapeOf(mcp.CallToolResultSchema)],
  ['tasks/cancel', task],
  ['tasks/update', nothing],
]);

/** The result of a server, of a request with this method. */
export function admitResult(method: string, result: unknown): unknown {
  const shape = results.get(method);
  return shape === undefined ? result : shaped(shape, result);
}

type Members = Readonly<Record<string, unknown>>;

/** A JSON-RPC message: a request or a notification of either side, or the answer of a client. */
export function admitMessage(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(admitMessage);
  if (!isObject(message)) return message;
  if (typeof message['method'] === 'string') return shaped(calls, withoutNull(message, 'params'));
  const answer: Members = withoutNull(withoutNull(message, 'error'), 'result');
  return 'result' in answer ? { ...answer, result: shaped(answersOfClients, answer['result']) } : answer;
}

function withoutNull(message: Members, key: string): Members {
  if (message[key] !== null) return message;
  const { [key]: _, ...rest } = message;
  return rest;
}

const oauth = choice(
  mcp.OAuthTokensSchema,
  mcp.OAuthMetadataSchema,
  mcp.OpenIdProviderDiscoveryMetadataSchema,
  mcp.OAuthProtectedResourceMetadataSchema,
  mcp.OAuthClientInformationFullSchema,
  mcp.OAuthErrorResponseSchema,
);

/** A document of an authorization server: its metadata, a token, a registration, an error. */
export const admitOAuth = (document: unknown): unknown => shaped(oauth, document);
