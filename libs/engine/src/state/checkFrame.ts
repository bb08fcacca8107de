/** The frame of the check that finds out whether a call of unknown outcome happened. */
import { type StepState, isOver } from './step.ts';

export const checkFrame = (attempt: number): string => `@check${attempt}`;

export const isCheckFrame = (name: string): boolean => name.startsWith('@check');

/** Of the attempt whose outcome is, or was, unknown; undefined: none has begun. */
export function checkProgress(state: StepState): 'open' | 'over' | undefined {
  const frame = state.frames.get(checkFrame(state.attempt));
  if (frame === undefined) return undefined;
  return frame.steps.values().every(isOver) ? 'over' : 'open';
}
