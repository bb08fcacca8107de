/** Compares a tool with its pin before it is called; after a pause, in a list that is newer: what was approved is called. */
import { FailureError } from '@baton/engine';
import { within, writtenDuration } from '@baton/primitives';
import { type Catalogue, type DriftPolicy, driftOf, driftText, isBlocking } from '@baton/protocol';
import type { CallContext, Calls, Clock, ServerGroup } from '@baton/runner';

type ToolCall = Parameters<Calls['callTool']>[0];

/** `policyOf`: what the server's `tools` says; `block` and `exact` refuse calls. */
export function heldToPins(
  group: Pick<ServerGroup, 'calls' | 'catalogue'>,
  policyOf: (server: string) => DriftPolicy,
  clock: Pick<Clock, 'now'>,
): Calls {
  const { calls } = group;
  return {
    ...calls,
    async callTool(call, context) {
      if (isBlocking(policyOf(call.server))) await compare(group, call, context, clock.now());
      return calls.callTool(call, context);
    },
  };
}

/** Rejects with `FailureError`: the tool has changed, or its server does not list it now. Nothing was sent. */
async function compare(
  group: Pick<ServerGroup, 'catalogue'>,
  { server, tool, pin }: ToolCall,
  context: CallContext,
  now: number,
): Promise<void> {
  if (pin === undefined) return;
  const { toolsReadSince } = context;
  const hasPaused = toolsReadSince !== undefined;
  const catalogue = hasPaused
    ? await group.catalogue(server, Math.max(0, now - toolsReadSince), context.person)
    : await firstList(group, server, context);
  if (catalogue === undefined) return;
  const name = `${server}/${tool}`;
  const found = catalogue.tools.find((one) => one.name === tool) ?? null;
  const [drift] = driftOf({ [name]: pin }, new Map([[name, found]]));
  if (drift === undefined || (drift.kind === 'text' && !(hasPaused && pin.text !== undefined))) return;
  const since = hasPaused ? 'while the run waited' : 'since the workflow was checked';
  const message = `${driftText(drift)} The tool changed ${since}. Nothing was called.`;
  throw new FailureError('tool-changed', message, { delivery: 'unsent' });
}

/**
 * Without a pause any list will do. A run is admitted by one, unless its server is slow to list its tools: its first call
 * waits for the list, at most as long as the call itself may take. Undefined: the server answers and lists nothing, or
 * the call was cancelled, which it says itself. Rejects with the `FailureError` of a server that cannot be opened.
 */
async function firstList(
  group: Pick<ServerGroup, 'catalogue'>,
  server: string,
  { signal, person, timeout: { totalMs = Infinity } }: Pick<CallContext, 'signal' | 'timeout' | 'person'>,
): Promise<Catalogue | undefined> {
  const onLate = (): never => {
    throw new FailureError(
      'timeout',
      `The server "${server}" did not list its tools within ${writtenDuration(totalMs)}.`,
      {
        delivery: 'unsent',
      },
    );
  };
  try {
    return await within(group.catalogue(server, undefined, person), totalMs, { signal, onLate });
  } catch (error) {
    if (error instanceof FailureError && error.delivery === 'unsent') throw error;
    return undefined;
  }
}
