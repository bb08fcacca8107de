/** Something to wait for that many may raise: raised before the wait, it is not missed. */
export class Latch {
  #isRaised = false;
  #release: (() => void) | undefined;

  raise(): void {
    this.#isRaised = true;
    this.#release?.();
  }

  /** Resolves when raised, and lowers it again. One waiter at a time. */
  async wait(): Promise<void> {
    if (!this.#isRaised) {
      await new Promise<void>((resolve) => {
        this.#release = resolve;
      });
      this.#release = undefined;
    }
    this.#isRaised = false;
  }
}
