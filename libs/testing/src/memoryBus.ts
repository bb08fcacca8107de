/** A bus within one process, for tests and the simulation. */
import type { Bus, Hearing, Hint } from '@baton/runner';
import { Ears } from '@baton/runner';

export interface MemoryBusOptions {
  /** How often a hint arrives: 0 loses it, 2 doubles it. Default: once. */
  readonly fate?: (hint: Hint) => number;
}

export class MemoryBus implements Bus {
  readonly #fate: (hint: Hint) => number;
  readonly #ears = new Ears();

  constructor({ fate = () => 1 }: MemoryBusOptions = {}) {
    this.#fate = fate;
  }

  publish(hint: Hint): void {
    for (let times = this.#fate(hint); times > 0; times -= 1) {
      queueMicrotask(() => this.#ears.tell(hint));
    }
  }

  subscribe(listener: (hint: Hint) => void, hearing: Hearing = 'all'): () => void {
    return this.#ears.add(listener, hearing);
  }

  async close(): Promise<void> {
    this.#ears.clear();
  }
}
