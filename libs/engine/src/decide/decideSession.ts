/** Decides the calls of a session. They do not wait for each other, and none of them fails the session. */
import { limits } from '@baton/expressions';

import { rootPlace } from '../state/place.ts';
import type { GatewaySession } from '../state/session.ts';
import { sessionPlace } from '../state/sessionPlace.ts';
import { stepsOfCall } from '../state/sessionSteps.ts';
import { decideBlock } from './block.ts';
import { type BlockVerdict, type DecisionInProgress, type StopReason, done, open, stopped } from './decision.ts';

export function decideSession(d: DecisionInProgress, session: GatewaySession, stop: StopReason): BlockVerdict {
  const place = rootPlace(d.run, d.blobs, '@main');
  let isBusy = false;
  for (const call of session.calls) {
    const verdict = decideBlock(d, stepsOfCall(call), sessionPlace(place, call), stop);
    isBusy ||= verdict.kind === 'open';
  }
  if (isBusy) return open;
  if (stop !== undefined) return stopped;
  return session.isClosed || d.isDue(session.activeAt + limits.session.idleMs) ? done : open;
}
