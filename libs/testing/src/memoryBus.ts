/** A bus within one process, for tests and the simulation. */
import type { Bus, HintScope, Hint } from '@baton/runner';
import { HintListeners } from '@baton/runner';

export interface MemoryBusOptions {
  /** How often a hint arrives: 0 loses it, 2 doubles it. Default: once. */
  readonly fate?: (hint: Hint) => number;
}

export class MemoryBus implements Bus {
  readonly #fate: (hint: Hint) => number;
  readonly #subscriptions = new HintListeners();

  constructor({ fate = () => 1 }: MemoryBusOptions = {}) {
    this.#fate = fate;
  }

  publish(hint: Hint): void {
    for (let times = this.#fate(hint); times > 0; times -= 1) {
      queueMicrotask(() => this.#subscriptions.notify(hint));
    }
  }

  subscribe(listener: (hint: Hint) => void, scope: HintScope = 'all'): () => void {
    return this.#subscriptions.add(listener, scope);
  }

  async close(): Promise<void> {
    this.#subscriptions.clear();
  }
}
