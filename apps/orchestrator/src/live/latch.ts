/** Remembers that something happened until somebody has waited for it. For one waiter. */
export class Latch {
  #isRaised = false;
  #wake: (() => void) | undefined;

  raise(): void {
    this.#isRaised = true;
    this.#wake?.();
  }

  /** Resolves once it has been raised since the last time. */
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
