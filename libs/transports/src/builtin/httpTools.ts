/** The tools of the built-in server `http`: what they take and answer, and what they do to the world (RFC 9110, 9.2). */
import { z } from 'zod';

import { listedTool, outputTyping } from './builtinTools.ts';

const Scalar = z.union([z.string(), z.number(), z.boolean()]);

const Request = z.strictObject({
  url: z.string().describe('The absolute address, http or https. mcp.json lists its host.'),
  query: z
    .record(z.string(), z.union([Scalar, z.array(Scalar)]))
    .optional()
    .describe('Added to the query of the address; a list adds its name once for each value.'),
  headers: z.record(z.string(), z.string()).optional().describe('Of the request.'),
  expect: z
    .array(z.int().min(100).max(599))
    .min(1)
    .optional()
    .describe('The statuses that are an answer. Every other one fails the call. Without: 200 to 299.'),
});

const Read = Request.extend({
  output: outputTyping('body', 'the steps after this one read. An answer that does not fit fails the call.'),
});

const WithBody = Read.extend({
  json: z.unknown().optional().describe('The body, sent as JSON.'),
  body: z
    .string()
    .optional()
    .describe('The body as text, in place of "json". A header "content-type" says what it is.'),
  idempotencyKey: z.string().optional().describe('Sent as the header Idempotency-Key.'),
});

/** What a tool of `http` takes. */
export type HttpArguments = z.infer<typeof WithBody>;

const Answer = z.strictObject({
  status: z.int().min(100).max(599),
  headers: z.record(z.string(), z.string()).describe('In lower case; several of one name are joined by commas.'),
  body: z.unknown().describe('What the JSON says; any other answer as text, and null where there is none.'),
});

export type HttpAnswerValue = z.infer<typeof Answer>;

interface HttpTool {
  readonly method: string;
  readonly takes: z.ZodType<HttpArguments>;
  readonly description: string;
  readonly annotations: object;
}

const reads = { readOnlyHint: true, idempotentHint: true, openWorldHint: true };
const repeats = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };
const writes = { ...repeats, idempotentHint: false };

const httpTools: Readonly<Record<string, HttpTool>> = {
  get: { method: 'GET', takes: Read, description: 'Reads what is at an address.', annotations: reads },
  head: { method: 'HEAD', takes: Request, description: 'Reads the headers of an address.', annotations: reads },
  post: { method: 'POST', takes: WithBody, description: 'Sends a POST to an address.', annotations: writes },
  patch: {
    method: 'PATCH',
    takes: WithBody,
    description: 'Changes a part of what is at an address.',
    annotations: writes,
  },
  put: { method: 'PUT', takes: WithBody, description: 'Stores what is at an address.', annotations: repeats },
  delete: { method: 'DELETE', takes: WithBody, description: 'Deletes what is at an address.', annotations: repeats },
};

export const httpToolOf = (name: string): HttpTool | undefined =>
  Object.hasOwn(httpTools, name) ? httpTools[name] : undefined;

/** As `tools/list` answers them. */
export const listedHttpTools: readonly object[] = Object.entries(httpTools).map(([name, tool]) =>
  listedTool(name, { ...tool, answers: Answer }),
);
