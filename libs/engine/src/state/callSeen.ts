/** `call`: what a check, or an undo, reads of the call that it is about. */
import type { ToolStep } from '@baton/language';
import type { JsonObject } from '@baton/primitives';

import { isCheckFrame } from './checkFrame.ts';
import { type StepPlace, findLocal } from './place.ts';
import type { StepState } from './step.ts';
import { argumentsMade, argumentsSeen } from './toolArguments.ts';
import { viewOf } from './view.ts';

const name = 'call';

/** A frame of a step that is at `place`. */
export interface InnerFrame {
  readonly place: StepPlace;
  readonly frame: string;
}

/**
 * The names of a frame of the step, besides those of the frames around it. Evaluated when they are read, so that a check
 * without `call` needs none of its values.
 */
export function callSeen(
  step: ToolStep,
  state: StepState | undefined,
  { place, frame }: InnerFrame,
): StepPlace['locals'] {
  const isUndo = frame === '@undo';
  if (!isUndo && !isCheckFrame(frame)) return {};
  const isDeclared = isUndo ? step.isUndoDeclared === true : step.check?.isDeclared === true;
  // Of a workflow from before `call`, an item may have this name.
  if (!isDeclared && findLocal(place, name) !== undefined) return {};
  const read = (): JsonObject => {
    const done =
      isUndo && state?.status === 'succeeded' ? { output: viewOf(state, place.blobs)['output'] ?? null } : {};
    const before = state?.status === 'unknown' ? state.call : undefined;
    const given = before?.verb === 'tool' ? argumentsMade(step, before, place.blobs) : argumentsSeen(step, place);
    return { arguments: given, ...done };
  };
  return Object.defineProperty({}, name, { enumerable: true, get: read });
}
