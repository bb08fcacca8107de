/** `undo`: what was done is taken back, last first, when the run fails or is cancelled. */
import type { Block } from '@baton/language';

import { decideBlock } from './block.ts';
import type { Deciding } from './decision.ts';
import { placeAt, stepAt } from './locate.ts';
import { enterFrame } from './place.ts';
import type { Frame, StepState } from './step.ts';

interface Undoable {
  readonly path: string;
  readonly seq: number;
  readonly state: StepState;
}

/**
 * Begins the next undo, or says that none is left. An undo that fails is on record at its step;
 * the others go on, since each of them takes back something of its own.
 */
export function decideUndo(d: Deciding): 'open' | 'done' {
  const main = d.run.frames.get('@main');
  const all = main === undefined ? [] : undoables(main, '');
  for (const { path, state } of all.toSorted((a, b) => b.seq - a.seq)) {
    const step = stepAt(d.plan, d.run, path);
    const block: Block | undefined = step.undo;
    if (block === undefined) continue;
    const inside = enterFrame(placeAt(d.plan, d.run, path, d.blobs), path, '@undo', state.frames.get('@undo'), {});
    if (decideBlock(d, block, inside, undefined).kind === 'open') return 'open';
  }
  return 'done';
}

function undoables(frame: Frame, prefix: string): Undoable[] {
  return frame.steps
    .entries()
    .flatMap(([key, state]) => {
      const path = prefix + key;
      const own = state.status === 'succeeded' && state.undoable ? [{ path, seq: state.seq, state }] : [];
      return [...own, ...innerFrames(state).flatMap(([name, inner]) => undoables(inner, `${path}/${name}/`))];
    })
    .toArray();
}

/** Frames whose work counts as done: items and rounds, and handlers; not undos themselves. */
function innerFrames(state: StepState): [string, Frame][] {
  const frames = [...state.frames].filter(([name]) => name !== '@undo');
  for (let one = state.items?.closed; one !== undefined; one = one.before) {
    const { name, frame } = one;
    if (!state.frames.has(name)) frames.push([name, frame]);
  }
  return frames;
}
