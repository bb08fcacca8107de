/** Calls the tool of a poll, and takes the list out of its answer. */
import { FailureError, stateSeen, valueView } from '@baton/engine';
import { limits } from '@baton/expressions';
import { type PollTrigger, defaultsOf } from '@baton/language';
import type { Json, JsonObject } from '@baton/primitives';
import type { BoundSecrets } from '@baton/runner';
import { type NamedPoll, type PollState, type Store, getDefinition, pinnedCall } from '@baton/store';
import type { Servers } from '@baton/transports';

import type { DeployedTrigger } from '../deploy/deployedTriggers.ts';

export interface PollCalls {
  readonly store: Store;
  readonly secrets: Pick<BoundSecrets, 'ofStep' | 'redacted'>;
  readonly servers: Pick<Servers, 'calls'>;
}

export type DeployedPoll = DeployedTrigger<PollTrigger>;

/** The last part is the tool where its author gives no `id`. */
export const pollNameOf = ({ workflow, trigger }: DeployedPoll): string => `${workflow}.${trigger.name}`;

export const namedPoll = (poll: DeployedPoll): NamedPoll => ({
  name: pollNameOf(poll),
  workflow: poll.workflow,
  basis: poll.trigger.basis,
});

/** Epoch milliseconds. A new version with a shorter pause waits for no longer one. */
export const nextPollAt = ({ trigger }: DeployedPoll, { failing, polledAt, nextAt }: PollState): number =>
  failing === undefined && polledAt !== undefined ? Math.min(nextAt, polledAt + trigger.everyMs) : nextAt;

/** What the poll reads of the state; undefined: its workflow declares none. */
export type SeenState = Omit<ReturnType<typeof stateSeen>, 'failure'> | undefined;

/** Rejects with `FailureError` where what is stored does not fit, and with `UnavailableError`. */
async function stateFor({ store }: Pick<PollCalls, 'store'>, poll: DeployedPoll): Promise<SeenState> {
  const { workflow, trigger } = poll;
  if (trigger.state === undefined) return undefined;
  const { failure, ...seen } = stateSeen(trigger.state, await store.state.read({ workflow, isInline: false }));
  if (failure !== undefined) throw new FailureError('state-unfit', failure.message);
  return seen;
}

export interface PollAnswer {
  /** What expressions read as `result`. */
  readonly result: JsonObject;
  readonly items: readonly Json[];
  readonly state: SeenState;
}

/** Where the configuration of the server says nothing shorter. */
const callMs = 60_000;

/** Rejects with `FailureError`, `EvaluationError` and `UnavailableError`. */
export async function askForItems(calls: PollCalls, poll: DeployedPoll, signal: AbortSignal): Promise<PollAnswer> {
  const state = await stateFor(calls, poll);
  const result = valueView('tool', await answerOf(calls, poll, state, signal));
  const items = poll.trigger.items.evaluate({ result, ...inScope(state) });
  if (!Array.isArray(items)) throw new FailureError('invalid-result', 'What `items` reads is no list.');
  if (items.length > limits.poll.items) {
    const most = limits.poll.items.toLocaleString('en');
    const message = `The list has ${items.length.toLocaleString('en')} items, and ${most} is the most: ask for fewer in \`with\`.`;
    throw new FailureError('invalid-result', message);
  }
  return { result, items, state };
}

/** As expressions read it. */
export const inScope = (state: SeenState): { readonly state?: JsonObject } =>
  state === undefined ? {} : { state: state.values };

async function answerOf(
  { store, secrets, servers }: PollCalls,
  poll: DeployedPoll,
  state: SeenState,
  signal: AbortSignal,
): Promise<Json> {
  const { workflow, version, trigger } = poll;
  const { server, tool, with: given } = trigger;
  const found = await store.findVersion({ workflow, version });
  const { pins = {} } = (found && (await getDefinition(store, found.definition))) ?? {};
  const use = { workflow: { id: workflow, isDeployed: true }, server };
  const revealed = given.secrets.length === 0 ? {} : await secrets.ofStep(given.secrets, use);
  const held = pinnedCall(pins, `${server}/${tool}`);
  const sent = {
    ...defaultsOf(held.definition?.inputSchema),
    ...given.evaluate({ secrets: revealed, ...inScope(state) }),
  };
  const runId = `poll ${pollNameOf(poll)}`;
  const context = {
    runId,
    attemptKey: runId,
    workflow: use.workflow,
    signal,
    timeout: { totalMs: callMs },
    onProgress: (): void => {},
  };
  try {
    return (await servers.calls.callTool({ server, tool, arguments: sent, ...held }, context)).result;
  } finally {
    servers.calls.release(runId);
  }
}
