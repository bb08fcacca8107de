/**
 * Decides when to reopen a stream of events that ended.
 *
 * The server says how long to wait, or the SDK does. But a server that ends every stream at once, without a pause,
 * would get thousands of requests a second. So the pause grows with every stream that brought nothing.
 */
const firstMs = 100;
const longestMs = 30_000;

export class StreamReopener {
  readonly #timers = new Set<NodeJS.Timeout>();
  #fruitless = 0;

  /** Data arrived: the pause begins anew. */
  heard(): void {
    this.#fruitless = 0;
  }

  /** Calls `reopen` after the pause. The returned function cancels it. `saidMs`: the pause that the server asked for. */
  readonly schedule = (reopen: () => void, saidMs: number): (() => void) => {
    const leastMs = Math.min(firstMs * 2 ** Math.min(this.#fruitless++, 20), longestMs);
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        reopen();
      },
      Math.max(saidMs, leastMs),
    ).unref();
    this.#timers.add(timer);
    return () => this.#drop(timer);
  };

  close(): void {
    for (const timer of this.#timers) this.#drop(timer);
  }

  #drop(timer: NodeJS.Timeout): void {
    clearTimeout(timer);
    this.#timers.delete(timer);
  }
}
