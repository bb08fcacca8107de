/** A bus within one process, for tests and the simulation. */
import type { Bus, ChannelName, Channels, HintScope, Hint } from '@baton/runner';
import { HintListeners } from '@baton/runner';

export interface MemoryBusOptions {
  /** How often a hint arrives: 0 loses it, 2 doubles it. Default: once. */
  readonly fate?: (hint: Hint) => number;
}

export class MemoryBus implements Bus, Channels {
  readonly #fate: (hint: Hint) => number;
  readonly #subscriptions = new HintListeners();
  readonly #listeners: { readonly name: ChannelName; readonly listener: (text: string) => void }[] = [];

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
    for (const { listener } of this.#listeners.filter((one) => one.name === name)) queueMicrotask(() => listener(text));
  }

  listen(name: ChannelName, listener: (text: string) => void): () => void {
    const added = { name, listener };
    this.#listeners.push(added);
    return () => void this.#listeners.splice(this.#listeners.indexOf(added), 1);
  }

  async close(): Promise<void> {
    this.#subscriptions.clear();
  }
}
