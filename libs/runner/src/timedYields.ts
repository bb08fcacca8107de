/** Lets calls and heartbeats of the process go on between parts of a computation, each of which may take long. */
import { setImmediate } from 'node:timers/promises';

/** Parts that together take no longer need no turn of the event loop between them. */
const heldMs = 10;

export class TimedYields {
  #since = performance.now();

  /** Between two parts. */
  async next(): Promise<void> {
    if (performance.now() - this.#since < heldMs) return;
    await setImmediate();
    this.#since = performance.now();
  }
}
