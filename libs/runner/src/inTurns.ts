/** Splits long work into pieces, and lets calls, heartbeats and other tasks of this process run between two of them. */
import { setImmediate } from 'node:timers/promises';

export async function inTurns<T>(work: Iterator<void, T>): Promise<T> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    await setImmediate();
  }
}
