/** Remembers that something happened until somebody has waited for it: raised before the wait, it is not missed. */
export class Latch {
  #isRaised = false;
  #wake: (() => void) | undefined;

  raise(): void {
    this.#isRaised = true;
    this.#wake?.();
  }

  /** Resolves when raised, and lowers it again. One waiter at a time. */
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
