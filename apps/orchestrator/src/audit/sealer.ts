/** Seals finished runs every minute. Every orchestrator runs one; the second one finds nothing to do. */
import type { Clock } from '@baton/runner';
import { UnavailableError } from '@baton/runner';
import type { Store } from '@baton/store';
import { beginMarks, findUnsealed, lastSealedAt, sealRuns } from '@baton/store';

import { PeriodicTask } from '../periodicTask.ts';

export interface SealerOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Called with the number of runs that get no seal because their journals fail verification. */
  readonly onRefused: (runs: number) => void;
  /** Called with errors of failed attempts. */
  readonly onTrouble: (error: Error) => void;
}

const everyMs = 60_000;
/** A run may be committed so long after its end: each pass looks at runs that ended before the last pass, by this much. */
const commitMs = 10_000;
/** A worker's clock may be behind by so much. A pass that looks that far back reads much again, so it comes this seldom. */
const lateMs = 300_000;
/** A pass rests after each seal, twice as long as it took: the runs of a busy minute would take a processor for seconds. */
const restsPerSeal = 2;
/** Each pass also rechecks this many older runs, in rotation: a run may have ended unnoticed. */
const lookedThrough = 10_000;

export class Sealer {
  readonly #options: SealerOptions;
  readonly #rounds: PeriodicTask;
  #after: string | undefined;
  /** When the last pass began, and the last one that looked back by `lateMs`, epoch milliseconds. */
  #passAt = 0;
  #thoroughPassAt: number | undefined;

  constructor(options: SealerOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    this.#rounds = new PeriodicTask({ clock, runOnce: () => this.#look(), onTrouble });
  }

  start(): void {
    this.begun = this.#begin();
    this.#rounds.start(everyMs);
  }

  /** Resolves after the first attempt to record since when seals exist. In a fresh database they begin now. */
  begun: Promise<void> = Promise.resolve();

  async #begin(): Promise<void> {
    const { store, clock, onTrouble } = this.#options;
    await beginMarks(store, clock.now()).catch((error: unknown) => {
      // The next pass tries again.
      if (!(error instanceof UnavailableError)) throw error;
      onTrouble(error);
    });
  }

  /** Resolves when the pass in progress has ended. */
  async close(): Promise<void> {
    await this.#rounds.close();
  }

  /** Seals all runs that have ended. Resolves to their number. Rejects with `UnavailableError`. */
  async seal(): Promise<number> {
    return this.#seal(0, async () => undefined);
  }

  /** `rest`: called after each seal, with the milliseconds that it took. */
  async #seal(from: number, rest: (tookMs: number) => Promise<void>): Promise<number> {
    const { store, clock } = this.#options;
    for (let count = 0, after = from; ;) {
      const begunMs = clock.monotonic();
      const sealed = await sealRuns(store, { nowMs: clock.now(), from: after });
      if (sealed === undefined || this.#rounds.isClosed) return count;
      if (sealed.refused > 0) this.#options.onRefused(sealed.refused);
      count += sealed.runs;
      if (sealed.runs === 0 && sealed.until === after) return count;
      after = sealed.until;
      await rest(clock.monotonic() - begunMs);
    }
  }

  async #look(): Promise<number> {
    const { store, clock } = this.#options;
    const nowMs = clock.now();
    await beginMarks(store, nowMs);
    const before = Math.min(nowMs, this.#thoroughPassAt ?? (await lastSealedAt(store)));
    const isThorough = this.#thoroughPassAt === undefined || before === nowMs || before <= nowMs - lateMs;
    const from = isThorough ? before - lateMs : this.#passAt - commitMs;
    const rest = (tookMs: number): Promise<void> => this.#rest(tookMs * restsPerSeal);
    await this.#seal(from, rest);
    this.#passAt = nowMs;
    if (isThorough) this.#thoroughPassAt = nowMs;
    const endedBefore = nowMs - lateMs;
    const { from: unsealedFrom, next } = await findUnsealed(store, {
      after: this.#after,
      most: lookedThrough,
      endedBefore,
    });
    this.#after = next;
    if (unsealedFrom !== undefined) await this.#seal(unsealedFrom, rest);
    return everyMs;
  }

  async #rest(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#options.clock.after(ms, resolve);
    await promise;
  }
}
