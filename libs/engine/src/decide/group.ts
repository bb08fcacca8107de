/**
 * `steps`: a group, whose steps share the frame around it. If it has a `finally`, `item.finished` records that the steps
 * are over; then the handler and the `finally` run before the group itself ends.
 */
import type { GroupStep } from '@baton/language';

import { handlerOf } from '../state/locate.ts';
import { enterFrame, errorView, groupError } from '../state/place.ts';
import type { RunningStep } from '../state/step.ts';
import type { BegunStep } from './begunStep.ts';
import { type BlockVerdict, type DecisionInProgress, done, stopped } from './decision.ts';
import type { DecideBlock } from './innerDecisions.ts';

type RunningGroup = BegunStep<GroupStep, RunningStep>;

export function decideGroup(d: DecisionInProgress, begun: RunningGroup, decideBlock: DecideBlock): BlockVerdict {
  const { step, state, place, path, stop } = begun;
  const { items, frames } = state;
  if (items === undefined || items.finished === 0) return decideBlock(d, step.body, place, stop);
  const { failure, isCut } = items;
  const handler = failure && handlerOf(step, failure.code);
  if (failure !== undefined && handler !== undefined) {
    const inside = enterFrame(place, path, '@onError', frames.get('@onError'), { error: errorView(failure) });
    if (decideBlock(d, handler, inside, stop).kind === 'open') return { kind: 'open' };
  }
  const last = cleanUp(d, begun, decideBlock);
  if (last.kind === 'open') return last;
  if (failure !== undefined) return { kind: 'failed', failure };
  if (last.kind === 'failed') return last;
  return isCut ? stopped : done;
}

/** Nothing stops a `finally`. */
function cleanUp(
  d: DecisionInProgress,
  { step: { finally: last }, state: { items, frames }, place, path }: RunningGroup,
  decideBlock: DecideBlock,
): BlockVerdict {
  if (last === undefined) return done;
  const locals = { error: groupError(items) };
  const inside = enterFrame(place, path, '@finally', frames.get('@finally'), locals);
  return decideBlock(d, last, inside, undefined);
}
