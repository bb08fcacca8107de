/** Finds the steps of a frame, and the frames inside a step, by their paths. */
import type { TracedStep } from '@baton/engine';

export interface FrameIndex {
  readonly byFrame: ReadonlyMap<string, readonly TracedStep[]>;
  /** Names of the frames inside a step, by its path, in the order in which they began. */
  readonly frames: ReadonlyMap<string, readonly string[]>;
}

const cut = (path: string): number => Math.max(0, path.lastIndexOf('/'));
export const keyOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export function frameIndexOf(steps: readonly TracedStep[]): FrameIndex {
  const byFrame = Map.groupBy(steps, ({ path }) => path.slice(0, cut(path)));
  const frames = new Map<string, string[]>();
  for (const frame of byFrame.keys()) {
    const slash = frame.lastIndexOf('/');
    if (slash < 0) continue;
    const owner = frame.slice(0, slash);
    const known = frames.get(owner);
    if (known === undefined) frames.set(owner, [frame.slice(slash + 1)]);
    else known.push(frame.slice(slash + 1));
  }
  return { byFrame, frames };
}
