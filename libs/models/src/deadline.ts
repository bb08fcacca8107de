/**
 * Decides when to give a request up: the run is being stopped, the model is silent for too long, or the total time is
 * over.
 */
import type { CallContext } from '@baton/runner';

export type GivenUp = 'cancelled' | 'idle' | 'total';

/** Used if neither the step nor the workflow sets one. A model that thinks is silent for a while. */
const idleMsByDefault = 120_000;
const totalMsByDefault = 600_000;

export class Deadline {
  readonly idleMs: number;
  readonly totalMs: number;
  readonly #own = new AbortController();
  readonly #outer: AbortSignal;
  readonly #onAbort = (): void => this.#giveUp('cancelled');
  readonly #total: NodeJS.Timeout;
  #idle: NodeJS.Timeout;
  #givenUp: GivenUp | undefined;

  constructor({ signal, timeout }: Pick<CallContext, 'signal' | 'timeout'>) {
    this.idleMs = timeout.idleMs ?? idleMsByDefault;
    this.totalMs = timeout.totalMs ?? totalMsByDefault;
    this.#outer = signal;
    this.#total = setTimeout(() => this.#giveUp('total'), this.totalMs);
    this.#idle = setTimeout(() => this.#giveUp('idle'), this.idleMs);
    if (signal.aborted) this.#giveUp('cancelled');
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  /** Why it was given up; undefined while it was not. */
  get givenUp(): GivenUp | undefined {
    return this.#givenUp;
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

  #giveUp(why: GivenUp): void {
    this.#givenUp ??= why;
    this.#own.abort();
  }
}
