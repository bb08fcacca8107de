/** Answers to what servers ask of us. A capability is declared to a server only where there is somebody to answer. */
import type { JsonObject } from '@baton/language';
import type { ServerPolicy } from '@baton/protocol';
import type {
  Client,
  ClientCapabilities,
  ClientContext,
  CreateMessageResult,
  ElicitResult,
  ListRootsResult,
} from '@modelcontextprotocol/client';

export interface Asked {
  readonly server: string;
  readonly session: string;
  readonly signal: AbortSignal;
}

/** Parameters and results as MCP has them. */
export interface Handlers {
  readonly sampling?: (params: JsonObject, asked: Asked) => Promise<JsonObject>;
  readonly elicitation?: (params: JsonObject, asked: Asked) => Promise<JsonObject>;
  readonly roots?: (asked: Asked) => Promise<JsonObject>;
}

export function capabilitiesFor(handlers: Handlers, policy: ServerPolicy): ClientCapabilities {
  return {
    ...(handlers.sampling === undefined || policy.sampling === 'deny' ? {} : { sampling: {} }),
    ...(handlers.elicitation === undefined || policy.elicitation === 'deny' ? {} : { elicitation: { form: {} } }),
    ...(handlers.roots === undefined ? {} : { roots: {} }),
  };
}

/** Installs those that `capabilities` promise. The SDK checks parameters and results against the schemas of the method. */
export function install(
  client: Client,
  capabilities: ClientCapabilities,
  handlers: Handlers,
  from: Omit<Asked, 'signal'>,
): void {
  const { sampling, elicitation, roots } = handlers;
  const asked = ({ mcpReq }: ClientContext): Asked => ({ ...from, signal: mcpReq.signal });
  // The SDK's types name every member; ours are any JSON, which the SDK checks.
  const paramsOf = (request: { readonly params: unknown }): JsonObject => request.params as JsonObject;
  if (capabilities.sampling !== undefined && sampling !== undefined) {
    client.setRequestHandler('sampling/createMessage', async (request, context) => {
      return (await sampling(paramsOf(request), asked(context))) as unknown as CreateMessageResult;
    });
  }
  if (capabilities.elicitation !== undefined && elicitation !== undefined) {
    client.setRequestHandler('elicitation/create', async (request, context) => {
      return (await elicitation(paramsOf(request), asked(context))) as unknown as ElicitResult;
    });
  }
  if (capabilities.roots !== undefined && roots !== undefined) {
    client.setRequestHandler('roots/list', async (_, context) => {
      return (await roots(asked(context))) as unknown as ListRootsResult;
    });
  }
}
