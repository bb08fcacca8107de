import type { Frame, StepState } from './step.ts';

/** Replaces the outputs of a finished frame by their journal positions: only an undo may still read them. */
export const leftInJournal = (frame: Frame): Frame => ({ steps: frame.steps.map(withoutValue) });

function withoutValue(state: StepState): StepState {
  const frames = new Map([...state.frames].map(([name, frame]) => [name, leftInJournal(frame)] as const));
  if (state.status !== 'succeeded' || !('json' in state.value) || !isCompound(state.value.json))
    return { ...state, frames };
  return { ...state, frames, value: { past: state.seq } };
}

const isCompound = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'object' && value !== null);
