import type { HintScope, Hint } from './bus.ts';

interface HintListener {
  readonly listener: (hint: Hint) => void;
  readonly hearing: HintScope;
}

/** Who listens to a bus in this process. */
export class HintListeners {
  readonly #ears = new Set<HintListener>();

  /** The same function may be given twice: each is its own subscription, until the returned function is called. */
  add(listener: (hint: Hint) => void, hearing: HintScope): () => void {
    const ear: HintListener = { listener, hearing };
    this.#ears.add(ear);
    return () => void this.#ears.delete(ear);
  }

  tell(hint: Hint): void {
    for (const { listener, hearing } of this.#ears) if (hearing === 'all' || hint.isOwn !== true) listener(hint);
  }

  clear(): void {
    this.#ears.clear();
  }
}
