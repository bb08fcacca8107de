/** How many runs of one asker (a key, a schedule, a hook) may be under way: beyond it, it starts no more (I7). */
import { ProblemError } from '@baton/api';
import type { RunLimits } from '@baton/engine';
import { limits } from '@baton/language';
import type { Clock } from '@baton/runner';

export interface RunQuotaOptions {
  /** Runs that are not over, by who asked for them. Rejects with `UnavailableError`. */
  readonly count: () => Promise<ReadonlyMap<string, number>>;
  readonly clock: Clock;
  /** Of an asker that has no limit of its own. Absent: as in limits. */
  readonly most?: number | undefined;
  /** Items of the `forEach` steps of one run. Absent: as in limits. */
  readonly itemsMost?: number | undefined;
}

const freshMs = 1_000;
/** Counting takes a twentieth of the time at the most, however many runs there are. */
const shareOfTime = 20;

/**
 * The count is as old as a second as a rule, and what was taken in here since is added: several orchestrators may exceed
 * the limit by what the others take in within that second.
 */
export class RunQuota {
  readonly #options: RunQuotaOptions;
  readonly #most: number;
  #counted: ReadonlyMap<string, number> = new Map();
  /** Taken in since the last count began. */
  #added = new Map<string, number>();
  /** Taken in before that, while the count goes on. */
  #addedBefore: ReadonlyMap<string, number> = new Map();
  /** Being taken in. */
  readonly #inFlight = new Map<string, number>();
  #staleAt = -Infinity;
  #counting: Promise<void> | undefined;

  constructor(options: RunQuotaOptions) {
    this.#options = options;
    this.#most = options.most ?? limits.key.runs;
  }

  /**
   * Starts a run where there is room for it. `own`: the limit of the key that asks. Rejects with `ProblemError` where there
   * is none, with `UnavailableError`, and with what `start` rejects with.
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

  /** What a run may do. `own`: the limit of the key that asks. */
  limitsOf(own: number | undefined): RunLimits {
    return { items: own ?? this.#options.itemsMost ?? limits.key.items };
  }

  #underWay(by: string): number {
    const all = [this.#counted, this.#addedBefore, this.#added, this.#inFlight];
    return all.reduce((sum, runs) => sum + (runs.get(by) ?? 0), 0);
  }

  /** Before the start, not beside it: a run that is begun meanwhile may be counted twice for a second. */
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
  const detail = `${most} runs of ${JSON.stringify(by.slice(0, 80))} are not over, and it may not have more.`;
  return new ProblemError('quota-exceeded', detail, { headers: { 'retry-after': '2' } });
}
