/** Remembers whose runs had a slot of this worker, so that callers without one get the next in turn. */

/** Further callers are forgotten, as if they had never had a run here. */
const callersMax = 200;

export class ServedCallers {
  /** The one whose run released its slot last is at the end. */
  readonly #callers = new Set<string>();

  /** A run of the caller `by` released its slot. */
  note(by: string): void {
    this.#callers.delete(by);
    this.#callers.add(by);
    if (this.#callers.size <= callersMax) return;
    for (const oldest of this.#callers) {
      this.#callers.delete(oldest);
      return;
    }
  }

  /** The caller that was served least recently comes first. */
  inOrder(): readonly string[] {
    return [...this.#callers];
  }
}
