/**
 * Decides when to abort a request: the run is being stopped, the model is silent for too long, or the total time is over.
 */
import type { CallContext } from '@baton/runner';

export type AbortCause = 'cancelled' | 'idle' | 'total';

/** Used if neither the step nor the workflow sets one. A model with reasoning may be silent for a while. */
const idleMsByDefault = 120_000;
const totalMsByDefault = 600_000;

export class Deadline {
  readonly idleMs: number;
  readonly totalMs: number;
  readonly #own = new AbortController();
  readonly #outer: AbortSignal;
  readonly #onAbort = (): void => this.#abort('cancelled');
  readonly #total: NodeJS.Timeout;
  #idle: NodeJS.Timeout;
  #cause: AbortCause | undefined;

  constructor({ signal, timeout }: Pick<CallContext, 'signal' | 'timeout'>) {
    this.idleMs = timeout.idleMs ?? idleMsByDefault;
    this.totalMs = timeout.totalMs ?? totalMsByDefault;
    this.#outer = signal;
    this.#total = setTimeout(() => this.#abort('total'), this.totalMs);
    this.#idle = setTimeout(() => this.#abort('idle'), this.idleMs);
    if (signal.aborted) this.#abort('cancelled');
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  /** Why the request was aborted; undefined: it was not. */
  get abortCause(): AbortCause | undefined {
    return this.#cause;
  }

  /** Call this when data arrives. */
  touch(): void {
    this.#idle.refresh();
  }

  /** Ends the deadline and aborts a request that is still in flight. */
  close(): void {
    clearTimeout(this.#total);
    clearTimeout(this.#idle);
    this.#outer.removeEventListener('abort', this.#onAbort);
    this.#own.abort();
  }

  #abort(why: AbortCause): void {
    this.#cause ??= why;
    this.#own.abort();
  }
}
