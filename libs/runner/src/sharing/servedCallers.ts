/** Remembers whose runs had a slot of this worker, so that callers without one get the next in turn. */
import { NewestMap } from '@baton/primitives';

/** Further callers are forgotten, as if they had never had a run here. */
const callersMax = 200;

export class ServedCallers {
  readonly #callers = new NewestMap<string, true>(callersMax);

  /** A run of the caller `by` released its slot. */
  note(by: string): void {
    this.#callers.set(by, true);
  }

  /** The caller that was served least recently comes first. */
  inOrder(): readonly string[] {
    return [...this.#callers.keys()];
  }
}
