/** Limits the unfinished runs of one source: a key, a schedule or a hook (I7). */
import { ProblemError } from '@baton/api';
import type { RunLimits } from '@baton/engine';
import { limits } from '@baton/expressions';
import { type RunCountOptions, RunCount } from '@baton/runner';
import type { KeyLimits } from '@baton/store';

export interface RunQuotaOptions extends RunCountOptions {
  /** For a source without a limit of its own. Absent: as in `limits`. */
  readonly most?: number | undefined;
  /** Items that the `forEach` steps of one run may have. Absent: as in `limits`. */
  readonly itemsMax?: number | undefined;
}

export class RunQuota {
  readonly #options: RunQuotaOptions;
  readonly #most: number;
  readonly #runs: RunCount;

  constructor(options: RunQuotaOptions) {
    this.#options = options;
    this.#most = options.most ?? limits.key.runs;
    this.#runs = new RunCount(options);
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
    const most = own ?? this.#most;
    const started = await this.#runs.within(by, most, start);
    if (started === undefined) throw quotaExceeded(by, most);
    return started;
  }

  /**
   * For a trigger that stores its runs itself, and then adds them. `own`: a limit of such triggers, where it is below that
   * of all. Rejects with `UnavailableError`.
   */
  async roomOf(by: string, own = Infinity): Promise<RunRoom> {
    const most = Math.min(own, this.#most);
    return new RunRoom(by, most, most - (await this.#runs.underWay(by, most)));
  }

  /** A run that was stored elsewhere. */
  add(by: string): void {
    this.#runs.add(by);
  }

  /** The limits of a run, which hold for its child runs too. `own`: the limits of the key. */
  limitsOf(own: KeyLimits | undefined): RunLimits {
    return { items: own?.items ?? this.#options.itemsMax ?? limits.key.items, runs: own?.runs ?? this.#most };
  }
}

/** How many further runs a source may start. */
export class RunRoom {
  readonly #by: string;
  readonly #most: number;
  #left: number;

  constructor(by: string, most: number, left: number) {
    this.#by = by;
    this.#most = most;
    this.#left = left;
  }

  get left(): number {
    return Math.max(0, this.#left);
  }

  /** Throws `ProblemError` where nothing is left. */
  check(): void {
    if (this.#left <= 0) throw quotaExceeded(this.#by, this.#most);
  }

  /** As `check`. */
  take(): void {
    this.check();
    this.#left -= 1;
  }
}

function quotaExceeded(by: string, most: number): ProblemError {
  const detail = `${most} runs of ${JSON.stringify(by.slice(0, 80))} are unfinished, the maximum for it.`;
  return new ProblemError('quota-exceeded', detail, { headers: { 'retry-after': '2' } });
}
