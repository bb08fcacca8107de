/** Calls the tool of a poll, and takes the list out of its answer. */
import { FailureError, valueView } from '@baton/engine';
import { limits } from '@baton/expressions';
import { type PollTrigger, defaultsOf } from '@baton/language';
import type { Json, JsonObject } from '@baton/primitives';
import type { BoundSecrets } from '@baton/runner';
import { type Store, getDefinition, pinnedCall } from '@baton/store';
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

export interface PollAnswer {
  /** What expressions read as `result`. */
  readonly result: JsonObject;
  readonly items: readonly Json[];
}

/** Where the configuration of the server says nothing shorter. */
const callMs = 60_000;

/** Rejects with `FailureError`, `EvaluationError` and `UnavailableError`. */
export async function askForItems(calls: PollCalls, poll: DeployedPoll, signal: AbortSignal): Promise<PollAnswer> {
  const result = valueView('tool', await answerOf(calls, poll, signal));
  const items = poll.trigger.items.evaluate({ result });
  if (!Array.isArray(items)) throw new FailureError('invalid-result', 'What `items` reads is no list.');
  if (items.length > limits.poll.items) {
    const most = limits.poll.items.toLocaleString('en');
    const message = `The list has ${items.length.toLocaleString('en')} items, and ${most} is the most: ask for fewer in \`with\`.`;
    throw new FailureError('invalid-result', message);
  }
  return { result, items };
}

async function answerOf(
  { store, secrets, servers }: PollCalls,
  poll: DeployedPoll,
  signal: AbortSignal,
): Promise<Json> {
  const { workflow, version, trigger } = poll;
  const { server, tool, with: given } = trigger;
  const found = await store.findVersion({ workflow, version });
  const { pins = {} } = (found && (await getDefinition(store, found.definition))) ?? {};
  const use = { workflow: { id: workflow, isDeployed: true }, server };
  const revealed = given.secrets.length === 0 ? {} : await secrets.ofStep(given.secrets, use);
  const held = pinnedCall(pins, `${server}/${tool}`);
  const sent = { ...defaultsOf(held.definition?.inputSchema), ...given.evaluate({ secrets: revealed }) };
  const runId = `poll ${pollNameOf(poll)}`;
  const context = { runId, attemptKey: runId, signal, timeout: { totalMs: callMs }, onProgress: (): void => {} };
  try {
    return (await servers.calls.callTool({ server, tool, arguments: sent, ...held }, context)).result;
  } finally {
    servers.calls.release(runId);
  }
}
