/** Refuses calls of workflows that a server does not exist for, as calls of a server that is not configured. */
import { FailureError } from '@baton/engine';
import { servesWorkflow, sessionWorkflow } from '@baton/language';
import type { CallContext, Calls } from '@baton/runner';

/** The patterns of workflows that a server exists for; undefined: all. */
export type AllowOf = (server: string) => readonly string[] | undefined;

/** Throws `FailureError` where the server does not exist for the workflow of a call. */
export function servingCheck(allowOf: AllowOf): (server: string, context: Pick<CallContext, 'workflow'>) => void {
  return (server, { workflow }) => {
    const allow = allowOf(server);
    if (allow === undefined) return;
    if (workflow === undefined || !servesWorkflow(allow, workflow.id)) throw unknownServer(server);
    // A workflow that comes with its run chooses its own name; none can be called like the sessions.
    if (workflow.isDeployed || workflow.id === sessionWorkflow) return;
    const message = `The server "${server}" is for deployed workflows only, and this workflow came with its run: deploy it.`;
    throw new FailureError('server-unknown', message, { delivery: 'unsent' });
  };
}

/** `allowOf`: the patterns of workflows that a server exists for; undefined: all. */
export function heldToWorkflows(calls: Calls, allowOf: AllowOf): Calls {
  const check = servingCheck(allowOf);
  return {
    ...calls,
    async callTool(call, context) {
      check(call.server, context);
      return calls.callTool(call, context);
    },
    async getPrompt(call, context) {
      check(call.server, context);
      return calls.getPrompt(call, context);
    },
    async readResource(call, context) {
      check(call.server, context);
      return calls.readResource(call, context);
    },
  };
}

/** The one of that name, if it is not disabled. Throws `FailureError`. */
export function usableServer<One extends { readonly config: { readonly disabled: boolean } }>(
  servers: ReadonlyMap<string, One>,
  name: string,
): One {
  const server = servers.get(name);
  if (server === undefined) throw unknownServer(name);
  if (!server.config.disabled) return server;
  const message = `The server is disabled: "${name.slice(0, 80)}".`;
  throw new FailureError('server-unknown', message, { delivery: 'unsent' });
}

const unknownServer = (name: string): FailureError =>
  new FailureError('server-unknown', `No server of that name is configured: "${name.slice(0, 80)}".`, {
    delivery: 'unsent',
  });
