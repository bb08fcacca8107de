/** Baton as an MCP server: its workflows are tools, its runs are resources. */
import type { JsonObject } from '@baton/language';
import { UnavailableError } from '@baton/runner';
import type { CallToolResult, ClientCapabilities, ServerContext } from '@modelcontextprotocol/server';
import { CLIENT_CAPABILITIES_META_KEY, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';

import { asProblem } from '../http/asProblem.ts';
import { ProblemError } from '../http/problem.ts';
import type { Principal } from '../keys/scopes.ts';
import { may } from '../keys/scopes.ts';
import { callGeneral, checkScope, generalTools, isGeneral, shownRun } from './generalTools.ts';
import type { Offers } from './offers.ts';
import type { WorkflowCallOptions } from './workflowCall.ts';
import { WorkflowCalls } from './workflowCall.ts';

export interface McpOptions extends WorkflowCallOptions {
  readonly offers: Offers;
  readonly version: string;
}

const instructions =
  'Each tool that is not named in small letters with underscores is a workflow. A call waits for the run for a while; after that, ask with get_run.';

const scheme = 'run://';

/** For one connection, or one request where the revision knows no connections. */
export function createMcpServer(options: McpOptions, principal: Principal): Server {
  const { offers, version } = options;
  const calls = new WorkflowCalls(options);
  const server = new Server(
    { name: 'baton', title: 'Baton', version },
    {
      capabilities: { tools: {}, resources: {} },
      instructions,
      // What is deployed meanwhile is seen soon; what a key may see is nobody else's.
      cacheHints: { 'tools/list': { ttlMs: 5_000, cacheScope: 'private' } },
    },
  );
  server.setRequestHandler('tools/list', async () => ({
    tools: [
      ...generalTools,
      ...(may(principal, ['runs:write']) ? (await offers.list(principal)).map(({ tool }) => tool) : []),
    ],
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { name } = params;
    const given = (params.arguments ?? {}) as JsonObject;
    const able = capabilitiesOf(server, context);
    const asked = {
      principal,
      context,
      canAsk: able?.elicitation !== undefined,
      canSample: able?.sampling !== undefined,
    };
    return answered(async () => {
      if (isGeneral(name)) return callGeneral(options, calls, name, given, asked);
      const offer = await offers.find(principal, name);
      if (offer === undefined) throw unknownTool(name);
      if (!may(principal, ['runs:write']))
        throw new ProblemError('forbidden', 'This needs a key with the scope runs:write.');
      return calls.call(offer.workflow, given, asked);
    });
  });
  server.setRequestHandler('resources/list', async () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [{ name: 'run', title: 'A run', uriTemplate: `${scheme}{id}`, mimeType: 'application/json' }],
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const id = uri.startsWith(scheme) ? uri.slice(scheme.length) : '';
    try {
      checkScope(principal, 'get_run');
      const run = await shownRun(options, principal, id);
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(run) }] };
    } catch (error) {
      if (error instanceof ProblemError)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { uri });
      throw error;
    }
  });
  return server;
}

/** What a client can do stands in each request, or, before 2026-07-28, in its first one. */
function capabilitiesOf(server: Server, { mcpReq }: ServerContext): ClientCapabilities | undefined {
  const inRequest = (mcpReq.envelope as Partial<Record<string, unknown>> | undefined)?.[
    CLIENT_CAPABILITIES_META_KEY
  ] as ClientCapabilities | undefined;
  return inRequest ?? server.getClientCapabilities();
}

/** What the caller can mend is a result that a model reads; what it cannot is an error of the protocol. */
async function answered<Answer>(call: () => Promise<Answer>): Promise<Answer | CallToolResult> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ProblemError) && !(error instanceof UnavailableError)) throw error;
    const { detail, errors = [] } = asProblem(error);
    const more = errors.map(({ pointer, message, hint }) => [pointer, message, hint].filter(Boolean).join(' '));
    return { content: [{ type: 'text', text: [detail, ...more].join('\n') }], isError: true };
  }
}

const unknownTool = (name: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${JSON.stringify(name.slice(0, 80))}.`, {
    name: name.slice(0, 80),
  });
