/** Seals finished runs every minute. Every orchestrator does; a pass stops if another process is sealing. */
import { type Clock, type TaskTrouble, BackgroundTask } from '@baton/runner';
import { type AuditProblem, type Store, findUnsealed, sealedUntil, sealRuns, sealRunsInTurn } from '@baton/store';

export interface SealerOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Called with the number of runs that get no seal because their journals fail verification. */
  readonly onRefused: (runs: number) => void;
  /** Called where nothing is sealed, because the audit before was changed. */
  readonly onProblem: (problem: AuditProblem) => void;
  readonly onTrouble: TaskTrouble;
}

const everyMs = 60_000;
/** A run may be committed so long after its end: each pass looks at runs that ended before the last pass, by this much. */
const lateCommitMs = 10_000;
/** A worker's clock may be behind by so much. A pass that looks that far back reads much again, so it comes this seldom. */
const slowClockMs = 300_000;
/** A pass rests after each full seal, twice as long as it took: the runs of a busy minute would take a processor for seconds. */
const restsPerSeal = 2;
/** Each pass also looks at this many runs, newest first, then over again: a run may have ended unnoticed. */
const lookedThrough = 10_000;

export class Sealer {
  readonly #options: SealerOptions;
  readonly #rounds: BackgroundTask;
  /** The last run of the look for runs that ended unnoticed. */
  #lookedUntil: string | undefined;
  /** When the last complete pass began, and the last one that looked back by `slowClockMs`, epoch milliseconds. */
  #passAt = 0;
  #thoroughPassAt: number | undefined;

  constructor(options: SealerOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    this.#rounds = new BackgroundTask({ name: 'seals', clock, run: () => this.#makePass(), onTrouble });
  }

  start(): void {
    this.#rounds.start(everyMs);
  }

  /** Resolves when the pass in progress has ended. */
  async close(): Promise<void> {
    await this.#rounds.close();
  }

  /** Seals all runs that have ended. Rejects with `UnavailableError`. */
  async seal(): Promise<void> {
    await this.#seal({ from: 0, isPass: false });
  }

  /**
   * Seals runs until there are fewer than one seal takes: runs that end meanwhile are for the next pass. A pass rests
   * between two seals, and stops if another process is sealing. False if it stopped early.
   */
  async #seal({ from, isPass }: { readonly from: number; readonly isPass: boolean }): Promise<boolean> {
    const { store, clock } = this.#options;
    for (let after = from; ;) {
      const begunMs = clock.monotonic();
      const sealed = await (isPass ? sealRuns : sealRunsInTurn)(store, { nowMs: clock.now(), from: after });
      if (sealed === undefined || this.#rounds.isClosed) return false;
      if (sealed.refused > 0) this.#options.onRefused(sealed.refused);
      if (sealed.problem !== undefined) this.#options.onProblem(sealed.problem);
      if (!sealed.isFull || (sealed.runs === 0 && sealed.until === after)) return true;
      after = sealed.until;
      if (isPass) await this.#rest((clock.monotonic() - begunMs) * restsPerSeal);
    }
  }

  async #makePass(): Promise<number> {
    const { store, clock } = this.#options;
    const nowMs = clock.now();
    const thoroughAt = Math.min(nowMs, this.#thoroughPassAt ?? (await sealedUntil(store)));
    const isThorough = this.#thoroughPassAt === undefined || thoroughAt === nowMs || thoroughAt <= nowMs - slowClockMs;
    const from = isThorough ? thoroughAt - slowClockMs : this.#passAt - lateCommitMs;
    if (!(await this.#seal({ from, isPass: true }))) return everyMs;
    this.#passAt = nowMs;
    if (isThorough) this.#thoroughPassAt = nowMs;
    await this.#lookForUnsealed(nowMs - slowClockMs);
    return everyMs;
  }

  async #lookForUnsealed(endedBefore: number): Promise<void> {
    const look = { before: this.#lookedUntil, most: lookedThrough, endedBefore };
    const { from, next } = await findUnsealed(this.#options.store, look);
    if (from === undefined || (await this.#seal({ from, isPass: true }))) this.#lookedUntil = next;
  }

  async #rest(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#options.clock.after(ms, resolve);
    await promise;
  }
}
