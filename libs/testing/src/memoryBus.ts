/** A bus within one process, for tests and the simulation. */
import { EventEmitter } from 'node:events';

import { type Bus, type ChannelName, type Channels, type HintScope, type Hint, HintListeners } from '@baton/runner';

export interface MemoryBusOptions {
  /** How often a hint arrives: 0 loses it, 2 doubles it. Default: once. */
  readonly fate?: (hint: Hint) => number;
}

export class MemoryBus implements Bus, Channels {
  readonly #fate: (hint: Hint) => number;
  readonly #subscriptions = new HintListeners();
  readonly #channels = new EventEmitter();

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

  send(name: ChannelName, text: string): void {
    queueMicrotask(() => this.#channels.emit(name, text));
  }

  listen(name: ChannelName, listener: (text: string) => void): () => void {
    this.#channels.on(name, listener);
    return () => void this.#channels.off(name, listener);
  }

  async close(): Promise<void> {
    this.#subscriptions.clear();
  }
}
