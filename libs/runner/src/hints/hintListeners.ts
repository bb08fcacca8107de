import type { HintScope, Hint } from '../ports/bus.ts';

interface HintListener {
  readonly listener: (hint: Hint) => void;
  readonly hearing: HintScope;
}

/** The subscribers of a bus in this process. */
export class HintListeners {
  readonly #ears = new Set<HintListener>();

  /** Adding the same function twice makes two subscriptions; each ends when its returned function is called. */
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
