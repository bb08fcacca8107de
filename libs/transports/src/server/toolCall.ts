/** Calls a tool, as a task or with headers if the tool needs it, and checks the answer. */
import { argumentsFailure, FailureError } from '@baton/engine';
import { type AnswerSchema, answerSchemaOf, validator } from '@baton/expressions';
import type { JsonObject } from '@baton/primitives';
import { checkStructured, paramHeadersOf } from '@baton/protocol';
import type { CallResult, Calls } from '@baton/runner';

import { toolFailure } from '../failure/toolFailure.ts';
import type { RequestExtras, Server } from './server.ts';

type Call = Parameters<Calls['callTool']>[0];

/** Rejects with `FailureError`. */
export type ToolRequest = (params: JsonObject, meta: JsonObject, more: RequestExtras) => Promise<CallResult>;

/** Rejects with `FailureError`. */
export async function callTool(server: Server, call: Call, perform: ToolRequest): Promise<CallResult> {
  const { tool, arguments: args, idempotencyKey, definition } = call;
  // A server within Baton lists at once, and what its arguments say of the answer holds in every call.
  if (server.config.type === 'builtin' && server.listed === undefined) await server.catalogue();
  const inputSchema = definition?.inputSchema ?? server.toolNamed(tool)?.inputSchema;
  // The engine has compared the arguments with a pinned schema.
  if (definition?.inputSchema === undefined) checkArguments(call, inputSchema);
  const written = answerSchemaOf(inputSchema, args);
  if (written !== undefined) assertUsable(written);
  const meta: JsonObject = idempotencyKey === undefined ? {} : { idempotencyKey };
  const params = { name: tool, arguments: args };
  const more = (): RequestExtras => {
    const known = server.toolNamed(tool);
    const inputSchema = definition?.inputSchema ?? known?.inputSchema;
    const headers = inputSchema === undefined ? {} : paramHeadersOf(inputSchema, args);
    return { headers, isTask: known?.execution?.taskSupport === 'required' };
  };
  let called: CallResult;
  try {
    called = assertSucceeded(tool, await perform(params, meta, more()));
  } catch (error) {
    const again = await repetitionFor(error, server, more());
    if (again === undefined) throw error;
    called = assertSucceeded(tool, await perform(params, meta, again === 'read' ? more() : again));
  }
  // An empty object counts as no content only if the tool declares no output schema.
  const isUnpinned = definition?.outputSchema === undefined && server.toolNamed(tool)?.outputSchema !== undefined;
  if (isUnpinned && written === undefined) return called;
  const checked = checkStructured(called.result, isUnpinned ? {} : definition?.outputSchema, written);
  if ('result' in checked) return { ...called, result: checked.result };
  throw new FailureError(
    'invalid-result',
    `The answer of the tool "${tool}" does not match its output schema: ${checked.problem}.`,
    {
      delivery: 'answered',
    },
  );
}

/** Throws a `FailureError` if the arguments do not fit the schema that the server listed last. */
function checkArguments({ server, tool, arguments: args }: Call, inputSchema: JsonObject | undefined): void {
  const unfit = inputSchema && argumentsFailure(`the tool ${server}/${tool}`, inputSchema, args);
  if (unfit !== undefined) throw unfit;
}

/** Throws a `FailureError` for a schema that no answer could be held against. */
function assertUsable({ argument, schema }: AnswerSchema): void {
  const { refusal } = validator(schema);
  if (refusal !== undefined)
    throw new FailureError('invalid-arguments', `The schema in the argument "${argument}" cannot be used. ${refusal}`);
}

/** Throws a `FailureError` for an answer with `isError`. */
function assertSucceeded(tool: string, called: CallResult): CallResult {
  if (called.result['isError'] === true) throw toolFailure(tool, called.result);
  return called;
}

/** MCP 2026-07-28: a header is missing or contradicts the body. */
const headerMismatch = -32_020;

/** How to repeat a rejected call that did not run: as a task, or with headers. */
async function repetitionFor(
  error: unknown,
  server: Server,
  tried: RequestExtras,
): Promise<RequestExtras | 'read' | undefined> {
  if (!(error instanceof FailureError)) return undefined;
  const details = error.failure.details as { readonly code?: unknown } | undefined;
  if (details?.code === headerMismatch) {
    await server.catalogue(0);
    return 'read';
  }
  const wantsTask = tried.isTask !== true && /-32601\b.*\brequires task/i.test(error.message);
  return wantsTask ? { ...tried, isTask: true } : undefined;
}
