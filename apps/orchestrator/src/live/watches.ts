/**
 * Who wants to know when a run's journal grows. The bus tells within milliseconds; what it loses, one question to Postgres
 * for all watched runs together finds a little later.
 */
import type { Bus, Clock, Hint } from '@baton/runner';
import { UnavailableError } from '@baton/runner';

/** How late a change is noticed whose hint was lost. */
const everyMs = 2_000;
/** Runs asked for in one statement. */
const batch = 1_000;

/** `mayBeOver`: false where nothing says that the run has ended. That it has is told at once, or at the next look. */
type OnGrown = (mayBeOver: boolean) => void;

interface WatchedRun {
  /** Up to this position no reader has to check whether the run is over. */
  seq: number;
  readonly listeners: Set<OnGrown>;
}

export interface WatchesOptions {
  readonly bus: Bus;
  /** Rejects with `UnavailableError`. */
  readonly positions: (runIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  readonly clock: Clock;
}

export class RunWatches {
  readonly #options: WatchesOptions;
  readonly #watched = new Map<string, WatchedRun>();
  readonly #unsubscribe: () => void;
  #cancelTimer: (() => void) | undefined;

  constructor(options: WatchesOptions) {
    this.#options = options;
    this.#unsubscribe = options.bus.subscribe((hint) => this.#hear(hint));
  }

  /** Runs being watched. */
  get size(): number {
    return this.#watched.size;
  }

  /** `onGrown` is called for growth after position `seq`, now and then without need, until the returned function is. */
  watch(runId: string, seq: number, onGrown: OnGrown): () => void {
    const watched = this.#watched.get(runId) ?? { seq, listeners: new Set() };
    watched.seq = Math.min(watched.seq, seq);
    const own: OnGrown = (mayBeOver) => onGrown(mayBeOver);
    watched.listeners.add(own);
    this.#watched.set(runId, watched);
    this.#schedule();
    return () => {
      watched.listeners.delete(own);
      if (watched.listeners.size === 0 && this.#watched.get(runId) === watched) this.#watched.delete(runId);
    };
  }

  close(): void {
    this.#unsubscribe();
    this.#cancelTimer?.();
    this.#watched.clear();
  }

  /** `isLast`, or it was looked up. */
  #hear({ runId, seq, isLast }: Hint): void {
    const watched = this.#watched.get(runId);
    if (watched === undefined) return;
    const mayBeOver = isLast === true;
    if (mayBeOver) watched.seq = Math.max(watched.seq, seq);
    for (const listener of watched.listeners) listener(mayBeOver);
  }

  #schedule(): void {
    this.#cancelTimer ??= this.#options.clock.after(everyMs, () => {
      this.#look()
        .catch((error: unknown) => {
          if (!(error instanceof UnavailableError)) throw error;
        })
        .finally(() => {
          this.#cancelTimer = undefined;
          if (this.#watched.size > 0) this.#schedule();
        });
    });
  }

  async #look(): Promise<void> {
    const ids = [...this.#watched.keys()];
    for (let from = 0; from < ids.length; from += batch) {
      const positions = await this.#options.positions(ids.slice(from, from + batch));
      for (const [runId, seq] of positions) {
        if (seq > (this.#watched.get(runId)?.seq ?? seq)) this.#hear({ runId, seq, isLast: true });
      }
    }
  }
}
