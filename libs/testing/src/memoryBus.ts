/** A bus within one process, for tests and the simulation. */
import type { Bus, Hint } from '@baton/runner';

export interface MemoryBusOptions {
  /** How often a hint arrives: 0 loses it, 2 doubles it. Default: once. */
  readonly fate?: (hint: Hint) => number;
}

export class MemoryBus implements Bus {
  readonly #fate: (hint: Hint) => number;
  readonly #listeners = new Set<(hint: Hint) => void>();

  constructor({ fate = () => 1 }: MemoryBusOptions = {}) {
    this.#fate = fate;
  }

  publish(hint: Hint): void {
    for (let times = this.#fate(hint); times > 0; times -= 1) {
      queueMicrotask(() => {
        for (const listener of this.#listeners) listener(hint);
      });
    }
  }

  subscribe(listener: (hint: Hint) => void): () => void {
    // The same function may be given twice: each is its own subscription.
    const own = (hint: Hint): void => listener(hint);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  async close(): Promise<void> {
    this.#listeners.clear();
  }
}
