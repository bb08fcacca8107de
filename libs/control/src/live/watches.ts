/**
 * Notifies watchers when a run's journal grows. The bus delivers hints within milliseconds; one statement for all
 * watched runs finds a little later what the bus lost.
 */
import { type Bus, type Clock, type Hint, UnavailableError } from '@baton/runner';

/** The maximum delay of a change whose hint was lost. */
const everyMs = 2_000;
/** Runs in one statement. */
const batch = 1_000;

/** `mayBeOver`: false if no sign says that the run has ended. The end is announced at once, or by the next poll. */
type GrowthHandler = (mayBeOver: boolean) => void;

interface WatchedRun {
  /** Up to this position the run has not ended. */
  seq: number;
  readonly listeners: Set<GrowthHandler>;
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
  /** Of requests that wait. */
  readonly #onStop = new Set<() => void>();
  #isStopping = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: WatchesOptions) {
    this.#options = options;
    this.#unsubscribe = options.bus.subscribe((hint) => this.#hear(hint));
  }

  /** Runs being watched. */
  get size(): number {
    return this.#watched.size;
  }

  /** Calls `onGrown` for growth after position `seq`, and sometimes without, until the returned function is called. */
  watch(runId: string, seq: number, onGrown: GrowthHandler): () => void {
    const watched = this.#watched.get(runId) ?? { seq, listeners: new Set() };
    watched.seq = Math.min(watched.seq, seq);
    const own: GrowthHandler = (mayBeOver) => onGrown(mayBeOver);
    watched.listeners.add(own);
    this.#watched.set(runId, watched);
    this.#schedule();
    return () => {
      watched.listeners.delete(own);
      if (watched.listeners.size === 0 && this.#watched.get(runId) === watched) this.#watched.delete(runId);
    };
  }

  /** Calls `onStop` when this process begins to stop, or at once if it has, until the returned function is called. */
  untilStop(onStop: () => void): () => void {
    this.#onStop.add(onStop);
    if (this.#isStopping) onStop();
    return () => this.#onStop.delete(onStop);
  }

  /** Ends all waits: a client that waits longer than this process is answered before it is gone. */
  endWaits(): void {
    this.#isStopping = true;
    for (const onStop of this.#onStop) onStop();
  }

  close(): void {
    this.#unsubscribe();
    this.#cancelTimer?.();
    this.#watched.clear();
  }

  /** `isLast`, or a lookup said so. */
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
