/**
 * Notes in which runs something happened last, for those that share a worker's time. A run is noted when it begins, and
 * afterwards unless it needs slices.
 */
import type { Clock } from '../ports/clock.ts';

/** A run makes progress if something happened within this time: a commit, or the answer of a quick tool, takes less. */
export const runActiveMs = 30;
/** How long a caller counts as making progress, who may start another run soon. */
export const callerActiveMs = 200;
/** Callers are forgotten in batches. */
const callersMax = 50;

export class RecentActivity {
  readonly #clock: Clock;
  readonly #runs = new Map<string, { readonly by: string; atMs: number }>();
  readonly #callers = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Something happened in a run of the caller `by`. */
  note(runId: string, by: string): void {
    const atMs = this.#clock.monotonic();
    const run = this.#runs.get(runId);
    if (run === undefined) this.#runs.set(runId, { by, atMs });
    else run.atMs = atMs;
    this.#callers.set(by, atMs);
    if (this.#callers.size <= callersMax) return;
    for (const [caller, at] of this.#callers) if (at <= atMs - callerActiveMs) this.#callers.delete(caller);
  }

  /** The run has ended or left this worker. */
  forget(runId: string): void {
    this.#runs.delete(runId);
  }

  /** Callers other than `by` in whose runs something happened in the last `ms`. */
  otherCallers(by: string, ms: number): readonly string[] {
    if (this.#callers.size === 1 && this.#callers.has(by)) return [];
    const since = this.#clock.monotonic() - ms;
    return [...this.#callers].filter(([caller, at]) => caller !== by && at > since).map(([caller]) => caller);
  }

  /** Of the runs of `by` that are here: how many there are, and in how many something happened just now. */
  countRuns(by: string): { readonly all: number; readonly active: number } {
    const since = this.#clock.monotonic() - runActiveMs;
    let [all, active] = [0, 0];
    for (const run of this.#runs.values()) {
      if (run.by !== by) continue;
      all += 1;
      if (run.atMs > since) active += 1;
    }
    return { all, active };
  }
}
