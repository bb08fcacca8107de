/** Runs a generator to its end, and yields to the event loop (calls, heartbeats) after each of its steps. */
import { setImmediate } from 'node:timers/promises';

export async function runWithYields<T>(work: Iterator<void, T>): Promise<T> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    await setImmediate();
  }
}
