/** For tests: time that passes when it is told to. */
import type { Clock } from '@baton/runner';

export class TestClock implements Clock {
  #nowMs = 1_800_000_000_000;
  readonly #timers = new Set<{ readonly at: number; readonly ms: number; readonly callback: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#nowMs;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#nowMs + ms, ms, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Whether a wait of this length is pending. */
  isAwaited(ms: number): boolean {
    return [...this.#timers].some((timer) => timer.ms === ms);
  }

  /** Calls back all whose time has come, in order. */
  pass(ms: number): void {
    const until = this.#nowMs + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.at);
      next.callback();
    }
    this.#nowMs = until;
  }
}
