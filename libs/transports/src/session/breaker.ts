/**
 * Pauses calls to a server that does not answer, but never for good.
 *
 *   closed     sessions are opened as needed
 *   open       no session is opened before `until`; callers fail at once
 *   half-open  one session is being tried
 *
 * It opens after several failures in a row, each time for longer, up to a limit. A random part keeps many workers from
 * coming back together. Only an answer closes it, not an opened session: some servers die of their first call.
 */
import { backoffMs } from '@baton/primitives';
import type { BreakerState } from '@baton/protocol';

export interface BreakerOptions {
  readonly failures: number;
  readonly firstMs: number;
  readonly longestMs: number;
  /** In [0, 1). */
  readonly random: () => number;
}

export class Breaker {
  readonly #options: BreakerOptions;
  #state: BreakerState = { kind: 'closed', failures: 0 };

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** 0: the caller must open a session now. Otherwise the time to wait, in milliseconds. */
  tryAfterMs(now: number): number {
    const state = this.#state;
    if (state.kind === 'closed') return 0;
    if (state.kind === 'half-open') return this.#options.firstMs;
    if (now < state.until) return state.until - now;
    this.#state = { kind: 'half-open', failures: state.failures };
    return 0;
  }

  failed(now: number): void {
    const failures = this.#state.failures + 1;
    if (failures < this.#options.failures) this.#state = { kind: 'closed', failures };
    else
      this.#state = {
        kind: 'open',
        failures,
        until: now + backoffMs(failures - this.#options.failures + 1, this.#options),
      };
  }

  /** A session opened; the next failure opens the breaker again at once. */
  opened(): void {
    if (this.#state.kind === 'half-open') this.#state = { kind: 'closed', failures: this.#state.failures };
  }

  /** Allows one attempt now, on request. */
  forgive(): void {
    const { failures } = this.#state;
    this.#state = { kind: 'closed', failures: Math.min(failures, this.#options.failures - 1) };
  }

  answered(): void {
    if (this.#state.failures > 0) this.#state = { kind: 'closed', failures: 0 };
  }
}
