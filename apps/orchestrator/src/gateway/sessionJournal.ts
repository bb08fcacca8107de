/** Folds the journal of one session's run as it grows; shared by all requests that wait for calls of the session. */
import { type RunWatches, followRun, weightOf } from '@baton/control';
import { type EventOf, type Run, type RunEvent, begin, evolve, isEnded } from '@baton/engine';
import { type Clock, type Journal, UnavailableError } from '@baton/runner';

export interface SessionJournalOptions {
  readonly journal: Journal;
  readonly watches: RunWatches;
  readonly clock: Clock;
}

type ProgressListener = (event: EventOf<'step.progressed'>) => void;

interface Waiter {
  readonly onGrown: () => void;
  readonly onProgress: ProgressListener;
}

export class SessionJournal {
  readonly runId: string;
  readonly #options: SessionJournalOptions;
  readonly #events: RunEvent[] = [];
  readonly #waiters = new Set<Waiter>();
  #run: Run | undefined;
  #unwatch: (() => void) | undefined;
  #reading: Promise<void> | undefined;
  #isStale = false;
  #weight = 0;

  constructor(options: SessionJournalOptions, runId: string) {
    this.#options = options;
    this.runId = runId;
  }

  get events(): readonly RunEvent[] {
    return this.#events;
  }

  /** The approximate size of the events, in bytes. */
  get weight(): number {
    return this.#weight;
  }

  /** A request waits for a call of the session. */
  get isWaitedFor(): boolean {
    return this.#waiters.size > 0;
  }

  /** The session takes no more calls. */
  get isOver(): boolean {
    return this.#run !== undefined && (isEnded(this.#run) || this.#run.session?.isClosed === true);
  }

  /**
   * Calls `look` with the run now and after each growth, until it returns a value. `isLate`: `forMs` have passed, or this
   * process stops; where `look` returns none then, it is called after growth as before. Undefined where `signal` was
   * aborted and `look` returned none. Rejects with `UnavailableError`, and as `look` does.
   */
  async follow<Answer>(
    look: (run: Run, isLate: boolean) => Promise<Answer | undefined> | Answer | undefined,
    { signal, forMs, onProgress }: { signal: AbortSignal; forMs: number; onProgress: ProgressListener },
  ): Promise<Answer | undefined> {
    const found = await followRun({
      ...this.#options,
      signal,
      forMs,
      looksFirst: true,
      watch: (onGrown) => this.#enter({ onGrown, onProgress }),
      look: async (end) => {
        await this.#read();
        const answer = this.#run && (await look(this.#run, end === 'late'));
        return answer !== undefined || end === 'left' ? { answer } : undefined;
      },
    });
    return found.answer;
  }

  /** Returns what takes the waiter out. */
  #enter(waiter: Waiter): () => void {
    this.#waiters.add(waiter);
    this.#unwatch ??= this.#options.watches.watch(this.runId, 0, () => {
      this.#isStale = true;
      for (const { onGrown } of this.#waiters) onGrown();
    });
    this.#isStale = true;
    return () => {
      this.#waiters.delete(waiter);
      if (this.#waiters.size > 0) return;
      this.#unwatch?.();
      this.#unwatch = undefined;
    };
  }

  /** All waiting requests share one read. */
  async #read(): Promise<void> {
    if (this.#reading === undefined && !this.#isStale) return;
    this.#reading ??= this.#readTail().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #readTail(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      const opened = await this.#options.journal.open(this.runId, this.#events.length).catch((error: unknown) => {
        this.#isStale = true;
        throw error;
      });
      if (opened === undefined) throw new UnavailableError(`run ${this.runId} cannot be read`);
      for (const event of opened.events) this.#take(event);
    }
  }

  #take(event: RunEvent): void {
    this.#events.push(event);
    this.#weight += weightOf(event);
    this.#run = this.#run === undefined ? begin(this.runId, event) : evolve(this.#run, event);
    if (event.type === 'step.progressed') for (const { onProgress } of this.#waiters) onProgress(event);
  }
}
