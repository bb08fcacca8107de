/**
 * Counts open streams of this process: events of runs, and listening MCP clients. A program that forgets to close its
 * streams is refused before it uses up the room of others.
 */
import { apiLimits, ProblemError } from '@baton/api';

import type { Principal } from '../keys/scopes.ts';

/** Open streams of one process; and of one key in one process. */
const streamsMax = 5_000;
const { streamsOfKey: ofKeyMax } = apiLimits;
/** A client whose connection broke may return before the server notices the break. */
const headers = { 'retry-after': '5' };

export class OpenStreams {
  readonly #ofKey = new Map<string, number>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Counts one stream until the returned function is called, once. Throws `ProblemError`. */
  enter({ id }: Pick<Principal, 'id'>): () => void {
    const ofKey = this.#ofKey.get(id) ?? 0;
    if (ofKey >= ofKeyMax) {
      const detail = `${ofKeyMax} streams are open with this key, the maximum for one key: close one, or use another key.`;
      throw new ProblemError('quota-exceeded', detail, { headers });
    }
    if (this.#count >= streamsMax)
      throw new ProblemError('overloaded', 'Too many event streams are open.', { headers });
    this.#count += 1;
    this.#ofKey.set(id, ofKey + 1);
    return () => this.#leave(id);
  }

  #leave(id: string): void {
    this.#count -= 1;
    const left = (this.#ofKey.get(id) ?? 0) - 1;
    if (left > 0) this.#ofKey.set(id, left);
    else this.#ofKey.delete(id);
  }
}
