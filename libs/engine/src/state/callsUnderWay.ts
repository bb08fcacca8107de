/** Finds the calls of a run that have begun, and of which nothing more is recorded. */
import { type Path, framePrefix, rootPrefix } from './path.ts';
import type { Run } from './run.ts';
import type { Frame, RunningStep } from './step.ts';

interface CallUnderWay {
  readonly path: Path;
  readonly state: RunningStep;
}

export const callsUnderWay = (run: Run): readonly CallUnderWay[] =>
  [...run.frames].flatMap(([root, frame]) => [...callsIn(frame, rootPrefix[root])]);

function* callsIn(frame: Frame, prefix: string): Generator<CallUnderWay> {
  for (const [key, state] of frame.steps) {
    const path = prefix + key;
    if (state.status === 'running' && state.call !== undefined) yield { path, state };
    for (const [name, inner] of state.frames) yield* callsIn(inner, framePrefix(path, name));
  }
}
