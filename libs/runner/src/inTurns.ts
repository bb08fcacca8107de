/** Work that comes in pieces: between two of them calls, heartbeats and whoever else waits for this process go first. */
import { setImmediate } from 'node:timers/promises';

export async function inTurns<T>(work: Iterator<void, T>): Promise<T> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    await setImmediate();
  }
}
