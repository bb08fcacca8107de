/** Finds the call that a client repeats with the answers that it was asked for. */
import { runIdIn } from '@baton/control';
import type { Journal } from '@baton/runner';

import type { PlacedCall } from './gatewayCalls.ts';
import { readState } from './questionRound.ts';

/**
 * Undefined if `state` names no call of a session of `by`: a client could write the state itself. Rejects with
 * `UnavailableError`.
 */
export async function resumedCall(journal: Journal, by: string, state: string): Promise<PlacedCall | undefined> {
  const { id, path } = readState(state);
  const runId = runIdIn(id) ?? '';
  const opened = runId === '' ? undefined : await journal.open(runId);
  const first = opened?.events[0];
  const isOwn = first?.type === 'run.requested' && first.by === by && first.trigger.kind === 'session';
  const isThere = opened?.events.some((event) => event.type === 'call.requested' && event.path === path) === true;
  return isOwn && isThere ? { runId, path, isRepeated: false } : undefined;
}
