/** Calls the tool of a poll, and takes the list out of its answer. */
import { FailureError, stateSeen, valueView } from '@baton/engine';
import { limits } from '@baton/expressions';
import { type PollTrigger, defaultsOf } from '@baton/language';
import { type Json, type JsonObject, defined } from '@baton/primitives';
import { type BoundSecrets, type CallContext, type CallPace, type Clock, turnOf } from '@baton/runner';
import { type Store, getDefinition, pinnedCall } from '@baton/store';
import type { Servers } from '@baton/transports';

import type { DeployedTrigger } from '../deploy/deployedTriggers.ts';
import { personIn } from '../keys/personBehind.ts';
import { type DeployedPoll, pollNameOf } from './deployedPoll.ts';
import type { EventHooks } from './eventHooks.ts';
import type { EventStreams } from './eventStreams.ts';

export interface PollCalls {
  readonly store: Store;
  readonly secrets: Pick<BoundSecrets, 'ofStep' | 'redacted'>;
  readonly servers: Pick<Servers, 'calls' | 'catalogue' | 'events'>;
  /** Absent: no server has a rate. */
  readonly pace?: CallPace | undefined;
  readonly clock: Clock;
  /** Where servers post events. Absent: nowhere. */
  readonly hooks?: EventHooks | undefined;
  /** Where events come on streams. */
  readonly streams: EventStreams;
}

/** What the poll reads of the state; undefined: its workflow declares none. */
export type SeenState = Omit<ReturnType<typeof stateSeen>, 'failure'> | undefined;

/** Rejects with `FailureError` where what is stored does not fit, and with `UnavailableError`. */
async function stateFor(
  { store }: Pick<PollCalls, 'store'>,
  { workflow, trigger }: DeployedTrigger<PollTrigger>,
): Promise<SeenState> {
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
  /** The key of one of the items. Throws `EvaluationError` and `FailureError`. */
  readonly keyOf: (item: Json) => Json;
  /** What the inputs of its run read. */
  readonly scopeOf: (item: Json) => JsonObject;
  /** Of events: how the server goes on. */
  readonly page?: {
    /** Null: it cannot replay. */
    readonly cursor: string | null;
    /** Events are lost. */
    readonly isGap: boolean;
    readonly hasMore: boolean;
    /** Until the next question. */
    readonly pauseMs: number;
  };
}

/** Where the configuration of the server says nothing shorter. */
const callMs = 60_000;

/** Rejects with `FailureError`, `EvaluationError` and `UnavailableError`. */
export async function askForItems(
  calls: PollCalls,
  poll: DeployedTrigger<PollTrigger>,
  signal: AbortSignal,
): Promise<PollAnswer> {
  const state = await stateFor(calls, poll);
  const result = valueView('tool', await answerOf(calls, poll, state, signal));
  const items = poll.trigger.items.evaluate({ result, ...inScope(state) });
  if (!Array.isArray(items)) throw new FailureError('invalid-result', 'What `items` reads is no list.');
  checkCount(items.length, 'items', ': ask for fewer in `with`');
  const keyOf = (item: Json): Json => poll.trigger.itemKey.evaluate({ item, result });
  return { result, items, state, keyOf, scopeOf: (item) => ({ item, result, ...inScope(state) }) };
}

/** Throws `FailureError` where an answer has more than one poll looks at. */
export function checkCount(count: number, what: string, advice = ''): void {
  const most = limits.poll.items;
  if (count <= most) return;
  const message = `The list has ${count.toLocaleString('en')} ${what}, and ${most.toLocaleString('en')} is the most${advice}.`;
  throw new FailureError('invalid-result', message);
}

/** As expressions read it. */
export const inScope = (state: SeenState): { readonly state?: JsonObject } =>
  state === undefined ? {} : { state: state.values };

async function answerOf(
  calls: PollCalls,
  poll: DeployedTrigger<PollTrigger>,
  state: SeenState,
  signal: AbortSignal,
): Promise<Json> {
  const { workflow, version, trigger } = poll;
  const { store, secrets, servers } = calls;
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
  return withCall(calls, poll, signal, async (context) => {
    const { result } = await servers.calls.callTool({ server, tool, arguments: sent, ...held }, context);
    return result;
  });
}

/** Makes one call for the poll. */
export async function withCall<Result>(
  { servers, pace }: Pick<PollCalls, 'servers' | 'pace'>,
  poll: DeployedPoll,
  signal: AbortSignal,
  call: (context: CallContext) => Promise<Result>,
): Promise<Result> {
  const runId = `poll ${pollNameOf(poll)}`;
  const workflow = { id: poll.workflow, isDeployed: true };
  const timeout = { totalMs: callMs };
  const owner = defined({ person: personIn(poll.deployedBy) });
  const { trigger } = poll;
  const { server } = trigger;
  const name = 'tool' in trigger ? trigger.tool : 'events';
  // It counts like the call of a run. A poll does not line up: where it may not go out now, the next one does.
  const paced = pace?.isPaced(server) === true && {
    awaitTurn: () => turnOf(pace, { server, name, by: runId }, signal),
  };
  try {
    return await call({
      runId,
      attemptKey: runId,
      workflow,
      signal,
      timeout,
      onProgress: (): void => {},
      ...owner,
      ...paced,
    });
  } catch (error) {
    if (error instanceof FailureError) pace?.noteFailure(server, error);
    throw error;
  } finally {
    servers.calls.release(runId);
  }
}
