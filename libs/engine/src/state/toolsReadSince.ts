/** A tool may change while a run pauses: how new the list of tools must be with which it is compared before a call. */
import { limits } from '@baton/expressions';

import type { RunEvent } from './event.ts';
import { stateAt } from './locate.ts';
import type { Path } from './path.ts';
import type { Run } from './run.ts';

/** Many runs go on at once after a wait: they share a list. After an answer the list is read anew. */
const shared = (at: number): number => at - limits.catalogue.sharedMs;

/** Since when a list must have been read after this event; undefined: it ends no pause. */
export function pauseEnd(event: RunEvent): number | undefined {
  switch (event.type) {
    // A person may have answered the run that it goes on from, or the one that waits for it.
    case 'run.requested':
      return event.parent === undefined && event.rerunOf === undefined ? undefined : shared(event.at);
    case 'question.answered':
    case 'sample.answered':
      return event.at;
    case 'run.claimed':
      return event.claim > 1 ? shared(event.at) : undefined;
    case 'step.succeeded':
      return event.verb === 'wait' ? shared(event.at) : undefined;
    case 'child.finished':
      return shared(event.at);
    default:
      return undefined;
  }
}

/**
 * The same for the call at `path`, whose attempt has begun. Undefined: there was no pause since the tool was compared with
 * its pin, at the beginning of the run or, in a session, at the client's request.
 */
export function toolsReadSince(run: Run, path: Path): number | undefined {
  const state = stateAt(run, path);
  const startedAt = state !== undefined && 'startedAt' in state ? state.startedAt : run.at;
  const isRepeated = (state?.attempt ?? 1) > 1;
  const call = run.session?.calls.find((one) => one.path === path);
  if (call?.approval !== undefined) return startedAt;
  const isLate = call !== undefined && startedAt - call.requestedAt > limits.catalogue.sharedMs;
  if (isRepeated || isLate) return shared(startedAt);
  return call === undefined ? run.toolsReadSince : undefined;
}
