/** Compares a tool with its pin again, before a call that follows a pause: what a person approved is what is called. */
import { FailureError } from '@baton/engine';
import { type DriftPolicy, driftOf, driftText } from '@baton/protocol';
import type { CallContext, Calls, Clock, ServerGroup } from '@baton/runner';

type ToolCall = Parameters<Calls['callTool']>[0];

/** `policyOf`: what the server's `tools` says; only `block` refuses calls. */
export function heldToPins(
  group: Pick<ServerGroup, 'calls' | 'catalogue'>,
  policyOf: (server: string) => DriftPolicy,
  clock: Pick<Clock, 'now'>,
): Calls {
  const { calls } = group;
  return {
    ...calls,
    async callTool(call, context) {
      if (policyOf(call.server) === 'block') await compare(group, call, context, clock.now());
      return calls.callTool(call, context);
    },
  };
}

/** Rejects with `FailureError`: the tool has changed, or its server does not list it now. Nothing was sent. */
async function compare(
  group: Pick<ServerGroup, 'catalogue'>,
  { server, tool, pin, definition }: ToolCall,
  { toolsReadSince }: CallContext,
  now: number,
): Promise<void> {
  if (pin === undefined || toolsReadSince === undefined) return;
  const { tools } = await group.catalogue(server, Math.max(0, now - toolsReadSince));
  const name = `${server}/${tool}`;
  const found = tools.find((one) => one.name === tool) ?? null;
  const [drift] = driftOf({ [name]: { ...pin, ...(definition && { definition }) } }, new Map([[name, found]]));
  if (drift === undefined || (drift.kind === 'text' && pin.text === undefined)) return;
  const message = `${driftText(drift)} The tool changed while the run waited. Nothing was called.`;
  throw new FailureError('tool-changed', message, { delivery: 'unsent' });
}
