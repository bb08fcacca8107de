import type { Hearing, Hint } from './bus.ts';

interface Ear {
  readonly listener: (hint: Hint) => void;
  readonly hearing: Hearing;
}

/** Who listens to a bus in this process. */
export class Ears {
  readonly #ears = new Set<Ear>();

  /** The same function may be given twice: each is its own subscription, until the returned function is called. */
  add(listener: (hint: Hint) => void, hearing: Hearing): () => void {
    const ear: Ear = { listener, hearing };
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
