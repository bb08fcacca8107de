/** Remembers a signal until it is waited for: a signal that comes before the wait is not missed. */
export class Latch {
  #isRaised = false;
  #wake: (() => void) | undefined;

  raise(): void {
    this.#isRaised = true;
    this.#wake?.();
  }

  /** Resolves when the latch is raised, and lowers it again. One waiter at a time. */
  async wait(): Promise<void> {
    if (!this.#isRaised) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
      this.#wake = undefined;
    }
    this.#isRaised = false;
  }
}
