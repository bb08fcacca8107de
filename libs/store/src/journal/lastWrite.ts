/** Remembers how the last write of a connection ended, for `writeFault`. */
export class LastWrite {
  #failure: Error | undefined;

  /** Why it failed; undefined: it succeeded, or there was none. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  succeeded(): void {
    this.#failure = undefined;
  }

  failed(error: Error): void {
    this.#failure = error;
  }
}
