/** `undo`: when the run fails or is cancelled, completed steps are undone, last first. */
import { localsOf, placeAt, stateAt, stepAt } from '../state/locate.ts';
import { enterFrame } from '../state/place.ts';
import { decideBlock } from './block.ts';
import type { DecisionInProgress } from './decision.ts';

/**
 * Begins the next undo, or returns that none is left. A failed undo is recorded at its step; the others continue, since
 * each undoes its own step.
 */
export function decideUndo(d: DecisionInProgress): 'open' | 'done' {
  const next = d.run.undoable;
  if (next === undefined) return 'done';
  const { path } = next;
  const step = stepAt(d.plan, d.run, path);
  const { undo } = step;
  const state = stateAt(d.run, path);
  const place = placeAt(d.plan, d.run, path, d.blobs);
  const locals = localsOf(step, state, { place, frame: '@undo' });
  const inside = enterFrame(place, path, '@undo', state?.frames.get('@undo'), locals);
  if (undo === undefined || decideBlock(d, undo, inside, undefined).kind !== 'open') {
    d.events.push({ type: 'step.undone', at: d.nowMs, path });
  }
  return 'open';
}
