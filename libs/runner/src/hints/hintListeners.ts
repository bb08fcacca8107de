import type { HintScope, Hint } from '../ports/bus.ts';

interface HintListener {
  readonly listener: (hint: Hint) => void;
  readonly scope: HintScope;
}

/** The subscriptions to a bus in this process. */
export class HintListeners {
  readonly #subscriptions = new Set<HintListener>();

  /** Adding the same function twice makes two subscriptions; each ends when its returned function is called. */
  add(listener: (hint: Hint) => void, scope: HintScope): () => void {
    const subscription: HintListener = { listener, scope };
    this.#subscriptions.add(subscription);
    return () => this.#subscriptions.delete(subscription);
  }

  notify(hint: Hint): void {
    for (const { listener, scope } of this.#subscriptions) if (scope === 'all' || hint.isOwn !== true) listener(hint);
  }

  clear(): void {
    this.#subscriptions.clear();
  }
}
