/** One call of a tool: in the form that the tool needs, with a checked answer. */
import { FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/language';
import { checkStructured, paramHeadersOf } from '@baton/protocol';
import type { CallResult, Calls } from '@baton/runner';

import { toolFailure } from '../failure/toolFailure.ts';
import type { RequestMore, Server } from '../server/server.ts';

type Call = Parameters<Calls['callTool']>[0];

/** Rejects with `FailureError`. */
export type ToolRequest = (params: JsonObject, meta: JsonObject, more: RequestMore) => Promise<CallResult>;

/** Rejects with `FailureError`. */
export async function callTool(server: Server, call: Call, perform: ToolRequest): Promise<CallResult> {
  const { tool, arguments: args, idempotencyKey, definition } = call;
  const meta: JsonObject = idempotencyKey === undefined ? {} : { idempotencyKey };
  const params = { name: tool, arguments: args };
  const more = (): RequestMore => {
    const known = server.toolNamed(tool);
    const inputSchema = definition?.inputSchema ?? known?.inputSchema;
    const headers = inputSchema === undefined ? {} : paramHeadersOf(inputSchema, args);
    return { headers, isTask: known?.execution?.taskSupport === 'required' };
  };
  let called: CallResult;
  try {
    called = succeeded(tool, await perform(params, meta, more()));
  } catch (error) {
    const again = await anotherWay(error, server, more());
    if (again === undefined) throw error;
    called = succeeded(tool, await perform(params, meta, again === 'read' ? more() : again));
  }
  // An empty object counts as no content only if the tool declares no output schema.
  if (definition?.outputSchema === undefined && server.toolNamed(tool)?.outputSchema !== undefined) return called;
  const checked = checkStructured(called.result, definition?.outputSchema);
  if ('result' in checked) return { ...called, result: checked.result };
  throw new FailureError(
    'invalid-result',
    `The tool "${tool}" answered otherwise than it declares: ${checked.problem}.`,
    {
      delivery: 'answered',
    },
  );
}

/** Rejects with `FailureError`: what an answer that says `isError` stands for. */
function succeeded(tool: string, called: CallResult): CallResult {
  if (called.result['isError'] === true) throw toolFailure(tool, called.result);
  return called;
}

/** Of MCP 2026-07-28: a header is missing, or says something else than the body. */
const headerMismatch = -32_020;

/** How a call that was turned away, and did not run, is to be made instead. */
async function anotherWay(
  error: unknown,
  server: Server,
  tried: RequestMore,
): Promise<RequestMore | 'read' | undefined> {
  if (!(error instanceof FailureError)) return undefined;
  const details = error.failure.details as { readonly code?: unknown } | undefined;
  if (details?.code === headerMismatch) {
    await server.catalogue(true);
    return 'read';
  }
  const wantsTask = tried.isTask !== true && /-32601\b.*\brequires task/i.test(error.message);
  return wantsTask ? { ...tried, isTask: true } : undefined;
}
