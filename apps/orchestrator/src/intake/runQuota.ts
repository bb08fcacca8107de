/** Limits the unfinished runs of one source: a key, a schedule or a hook (I7). */
import { ProblemError } from '@baton/api';
import type { RunLimits } from '@baton/engine';
import { limits } from '@baton/language';
import type { Clock } from '@baton/runner';

export interface RunQuotaOptions {
  /** Counts unfinished runs by source. Rejects with `UnavailableError`. */
  readonly count: () => Promise<ReadonlyMap<string, number>>;
  readonly clock: Clock;
  /** For a source without a limit of its own. Absent: as in `limits`. */
  readonly most?: number | undefined;
  /** Items that the `forEach` steps of one run may have. Absent: as in `limits`. */
  readonly itemsMost?: number | undefined;
}

const freshMs = 1_000;
/** Counting uses at most a twentieth of the time, however many runs there are. */
const shareOfTime = 20;

/**
 * The count is usually up to a second old, plus what this process accepted since. So several orchestrators may exceed
 * the limit by what the others accept within a second.
 */
export class RunQuota {
  readonly #options: RunQuotaOptions;
  readonly #most: number;
  #counted: ReadonlyMap<string, number> = new Map();
  /** Accepted since the last count began. */
  #added = new Map<string, number>();
  /** Accepted before that, while the count is in progress. */
  #addedBefore: ReadonlyMap<string, number> = new Map();
  /** Starts in progress. */
  readonly #inFlight = new Map<string, number>();
  #staleAt = -Infinity;
  #counting: Promise<void> | undefined;

  constructor(options: RunQuotaOptions) {
    this.#options = options;
    this.#most = options.most ?? limits.key.runs;
  }

  /**
   * Starts a run if the limit allows it. `own`: the limit of the key. Rejects with `ProblemError` if not, with
   * `UnavailableError`, and with the errors of `start`.
   */
  async within<Started extends { readonly isNew: boolean }>(
    by: string,
    own: number | undefined,
    start: () => Promise<Started>,
  ): Promise<Started> {
    await this.#refresh();
    const most = own ?? this.#most;
    if (this.#underWay(by) >= most) throw quotaExceeded(by, most);
    change(this.#inFlight, by, 1);
    try {
      const started = await start();
      if (started.isNew) change(this.#added, by, 1);
      return started;
    } finally {
      change(this.#inFlight, by, -1);
    }
  }

  /** The limits of a run. `own`: the limit of the key. */
  limitsOf(own: number | undefined): RunLimits {
    return { items: own ?? this.#options.itemsMost ?? limits.key.items };
  }

  #underWay(by: string): number {
    const all = [this.#counted, this.#addedBefore, this.#added, this.#inFlight];
    return all.reduce((sum, runs) => sum + (runs.get(by) ?? 0), 0);
  }

  /** Before the start, not beside it: a run that begins meanwhile may count twice for a second. */
  async #refresh(): Promise<void> {
    if (this.#options.clock.monotonic() <= this.#staleAt) return;
    this.#counting ??= this.#count();
    await this.#counting;
  }

  async #count(): Promise<void> {
    const { count, clock } = this.#options;
    const begunAt = clock.monotonic();
    this.#addedBefore = sumOf(this.#addedBefore, this.#added);
    this.#added = new Map();
    try {
      this.#counted = await count();
      this.#addedBefore = new Map();
      this.#staleAt = clock.monotonic() + Math.max(freshMs, shareOfTime * (clock.monotonic() - begunAt));
    } finally {
      this.#counting = undefined;
    }
  }
}

function change(runs: Map<string, number>, by: string, more: number): void {
  const sum = (runs.get(by) ?? 0) + more;
  if (sum === 0) runs.delete(by);
  else runs.set(by, sum);
}

function sumOf(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const sum = new Map(one);
  for (const [by, runs] of other) change(sum, by, runs);
  return sum;
}

function quotaExceeded(by: string, most: number): ProblemError {
  const detail = `${most} runs of ${JSON.stringify(by.slice(0, 80))} are unfinished, the maximum for it.`;
  return new ProblemError('quota-exceeded', detail, { headers: { 'retry-after': '2' } });
}
