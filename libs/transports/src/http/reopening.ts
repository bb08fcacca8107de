/**
 * The pauses before a stream of events that ended is opened again.
 *
 * The server says how long to wait, or Baton does. But a server that ends every stream at once, and asks for no pause,
 * would get thousands of requests a second. So the pause grows with every stream that brought nothing.
 */
import { backoffMs } from '@baton/primitives';

const pauses = { firstMs: 100, longestMs: 30_000 };

export class ReopeningPauses {
  #fruitless = 0;

  /** Data arrived: the pauses begin anew. */
  heard(): void {
    this.#fruitless = 0;
  }

  /** The next pause in milliseconds. `saidMs`: what the server asked for. */
  next(saidMs: number): number {
    this.#fruitless += 1;
    return Math.min(Math.max(saidMs, backoffMs(this.#fruitless, pauses)), 2 ** 31 - 1);
  }
}
