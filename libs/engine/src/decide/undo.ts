/** `undo`: when the run fails or is cancelled, completed steps are undone, last first. */
import { placeAt, stateAt, stepAt } from '../state/locate.ts';
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
  const { undo } = stepAt(d.plan, d.run, path);
  const frame = stateAt(d.run, path)?.frames.get('@undo');
  const inside = undo && enterFrame(placeAt(d.plan, d.run, path, d.blobs), path, '@undo', frame, {});
  if (undo === undefined || inside === undefined || decideBlock(d, undo, inside, undefined).kind !== 'open') {
    d.events.push({ type: 'step.undone', at: d.nowMs, path });
  }
  return 'open';
}
