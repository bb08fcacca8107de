/** Permits for so many at once, given in the order in which they were asked for. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** The function that gives the permit back; undefined where none is free. */
  tryTake(): (() => void) | undefined {
    if (this.#free === 0) return undefined;
    this.#free -= 1;
    return this.#permit();
  }

  /** Resolves to the function that gives the permit back. Rejects with the signal's reason, and takes none then. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const permit = this.tryTake();
    if (permit !== undefined) return permit;
    await this.#turn(signal);
    return this.#permit();
  }

  #permit(): () => void {
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      this.#give();
    };
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.delete(next);
        reject(signal.reason as Error);
      };
      const next = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(next);
    });
  }

  #give(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}
