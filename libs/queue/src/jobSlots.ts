/** A limited number of slots. A caller takes the next free slot, or gives up after a time. */
export class JobSlots {
  #free: number;
  #isClosed = false;
  #wake: () => void = () => undefined;

  constructor(count: number) {
    this.#free = count;
  }

  /** False: none became free within `ms`, or there are none any more. */
  async take(ms: number): Promise<boolean> {
    if (!(await this.#room(ms))) return false;
    this.#free -= 1;
    return true;
  }

  release(): void {
    this.#free += 1;
    this.#wake();
  }

  /** Resolves when a place is free, or there are none any more. */
  async room(): Promise<void> {
    await this.#room();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async #room(ms?: number): Promise<boolean> {
    if (this.#isClosed || this.#free > 0) return !this.#isClosed;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
    return !this.#isClosed && this.#free > 0;
  }
}
