/**
 * Calls that no repetition may be taken for: a request waits for them, or their answer reached the client. The same write
 * made again meanwhile is another write.
 */
export interface CallPlace {
  readonly runId: string;
  readonly path: string;
}

export class HeldCalls {
  /** By run and path: how many requests hold the call. */
  readonly #byRun = new Map<string, Map<string, number>>();

  has({ runId, path }: CallPlace): boolean {
    return this.#byRun.get(runId)?.has(path) === true;
  }

  /** Each request that waits for the call holds it. */
  hold({ runId, path }: CallPlace): void {
    const paths = this.#byRun.get(runId) ?? new Map<string, number>();
    paths.set(path, (paths.get(path) ?? 0) + 1);
    this.#byRun.set(runId, paths);
  }

  release({ runId, path }: CallPlace): void {
    const paths = this.#byRun.get(runId);
    const left = (paths?.get(path) ?? 1) - 1;
    if (left > 0) paths?.set(path, left);
    else paths?.delete(path);
    if (paths?.size === 0) this.#byRun.delete(runId);
  }

  /** The run takes no more calls. */
  forget(runId: string): void {
    this.#byRun.delete(runId);
  }
}
