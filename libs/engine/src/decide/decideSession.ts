/** Decides the calls of a session. They do not wait for each other, and none of them fails the session. */
import { limits } from '@baton/expressions';

import { rootPlace, type StepPlace } from '../state/place.ts';
import { argumentsName, type Session, type SessionCall } from '../state/session.ts';
import { stepsOfCall } from '../state/sessionSteps.ts';
import { resolve } from '../state/value.ts';
import { decideBlock } from './block.ts';
import { type BlockVerdict, type DecisionInProgress, type StopReason, done, open, stopped } from './decision.ts';

export function decideSession(d: DecisionInProgress, session: Session, stop: StopReason): BlockVerdict {
  const place = rootPlace(d.run, d.blobs, '@main');
  let isBusy = false;
  for (const call of session.calls) {
    const verdict = decideBlock(d, stepsOfCall(call), placeOf(place, call), stop);
    isBusy ||= verdict.kind === 'open';
  }
  if (isBusy) return open;
  if (stop !== undefined) return stopped;
  return session.isClosed || d.isDue(session.activeAt + limits.session.idleMs) ? done : open;
}

/** The arguments are resolved only when the call begins, so that only this call's blobs are loaded. */
function placeOf(place: StepPlace, call: SessionCall): StepPlace {
  const locals = Object.defineProperty({}, argumentsName, {
    enumerable: true,
    get: () => resolve(call.arguments, place.blobs),
  });
  return { ...place, locals };
}
