/** Implements the runner's port `Calls` over the configured servers. */
import { type RunPerson, argumentsFailure, FailureError } from '@baton/engine';
import { promptSchema } from '@baton/language';
import type { JsonObject } from '@baton/primitives';
import { type CallMethod, type Catalogue, checkResult } from '@baton/protocol';
import type { CallContext, CallResult, Calls } from '@baton/runner';
import { UriTemplate } from '@modelcontextprotocol/client';

import { callerKey } from '../builtin/builtinTools.ts';
import { asAnswered } from '../failure/asAnswered.ts';
import type { RequestExtras, Server } from './server.ts';
import { callTool } from './toolCall.ts';

/** Throws `FailureError` where no server of the name can be used. */
export type ServerNamed = (name: string, person: RunPerson | undefined) => Server;

/** The `_meta` key for the run and attempt of a call, for the server's log. */
const attemptKey = 'baton/attempt';

/** `serverNamed`: as the login of the person sees it. */
export function callsOver(serverNamed: ServerNamed, servers: () => Iterable<Server>): Calls {
  const call = async (
    server: string,
    method: CallMethod,
    params: JsonObject,
    context: CallContext,
    meta: JsonObject = {},
    more: RequestExtras = {},
  ): Promise<CallResult> => {
    const { traceparent } = context;
    const traced = traceparent === undefined ? {} : { traceparent };
    const receiver = serverNamed(server, context.person);
    const caller = receiver.config.type === 'builtin' ? { [callerKey]: callerOf(context) } : {};
    const allMeta = { ...meta, ...traced, ...caller, [attemptKey]: context.attemptKey };
    const served = await receiver.request(method, params, allMeta, context, more);
    const { result } = asAnswered(server, method, checkResult(method, served.result));
    return { result, session: served.session };
  };
  return {
    callTool: async (toolCall, context) =>
      callTool(serverNamed(toolCall.server, context.person), toolCall, (params, meta, more) =>
        call(toolCall.server, 'tools/call', params, context, meta, more),
      ),
    async getPrompt({ server, prompt, arguments: args }, context) {
      await checkPrompt(serverNamed(server, context.person), prompt, args);
      return call(server, 'prompts/get', { name: prompt, arguments: asTexts(args) }, context);
    },
    readResource: ({ server, uri, arguments: args }, context) =>
      call(server, 'resources/read', { uri: expanded(uri, args) }, context),
    release(runId) {
      for (const server of servers()) server.release(runId);
    },
  };
}

const callerOf = ({ workflow, runId }: CallContext): JsonObject => ({
  by: runId,
  ...(workflow === undefined ? {} : { workflow: { ...workflow } }),
});

/**
 * No version pins what a prompt takes, so its arguments are compared with what the server lists now. Rejects with
 * `FailureError`.
 */
async function checkPrompt(server: Server, name: string, args: JsonObject): Promise<void> {
  const prompt = (await listedPrompts(server)).find((one) => one.name === name);
  const unfit = prompt && argumentsFailure(`the prompt ${server.config.name}/${name}`, promptSchema(prompt), args);
  if (unfit !== undefined) throw unfit;
}

/** Empty if the server does not list them now: it may still answer the call. */
async function listedPrompts(server: Server): Promise<Catalogue['prompts']> {
  try {
    return (await server.catalogue()).prompts;
  } catch (error) {
    if (error instanceof FailureError) return [];
    throw error;
  }
}

/** Arguments of prompts are texts (MCP 2025-11-25, prompts/get). */
const asTexts = (args: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );

/** RFC 6570. */
function expanded(uri: string, args: JsonObject): string {
  if (!uri.includes('{')) return uri;
  const variables = Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, Array.isArray(value) ? value.map(asText) : asText(value)]),
  );
  try {
    return new UriTemplate(uri).expand(variables);
  } catch (error) {
    const message = `"${uri.slice(0, 80)}" is not a valid URI template: ${(error as Error).message}.`;
    throw new FailureError('invalid-arguments', message, { delivery: 'unsent', cause: error });
  }
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
