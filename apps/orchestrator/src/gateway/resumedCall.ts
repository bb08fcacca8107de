/** Finds the call that a client repeats with the answers that it was asked for. */
import { type Principal, runIdIn } from '@baton/control';
import type { Journal } from '@baton/runner';

import { eventsOfOwn } from '../mcp/ownRuns.ts';
import type { PlacedCall } from './gatewayCalls.ts';
import { readState } from './questionRound.ts';

/**
 * Undefined if `state` names no call of a session of this client: it could write the state itself. Rejects with
 * `UnavailableError`.
 */
export async function resumedCall(
  journal: Journal,
  principal: Principal,
  state: string,
): Promise<PlacedCall | undefined> {
  const { id, path } = readState(state);
  const runId = runIdIn(id) ?? '';
  const events = await eventsOfOwn(journal, runId, principal, 'session');
  const isThere = events?.some((event) => event.type === 'call.requested' && event.path === path) === true;
  return isThere ? { runId, path, isRepeated: false } : undefined;
}
