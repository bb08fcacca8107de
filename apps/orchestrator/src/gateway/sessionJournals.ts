/** The journals of sessions: those that requests wait for, and, as far as the limits allow, those that were used last. */
import { type SessionJournalOptions, SessionJournal } from './sessionJournal.ts';

export interface JournalLimits {
  readonly count: number;
  /** The size of the events of all journals. */
  readonly bytes: number;
}

const usual: JournalLimits = { count: 1_000, bytes: 64 * 2 ** 20 };

export class SessionJournals {
  readonly #options: SessionJournalOptions;
  readonly #limits: JournalLimits;
  /** By run, ordered by last use: the least recently used journal is first. */
  readonly #kept = new Map<string, SessionJournal>();

  constructor(options: SessionJournalOptions, limits: JournalLimits = usual) {
    this.#options = options;
    this.#limits = limits;
  }

  /** Follows the session's journal; the same for all requests that follow it at a time. As `SessionJournal.follow`. */
  async follow<Answer>(
    runId: string,
    look: (journal: SessionJournal, ...now: Parameters<FollowArguments<Answer>>) => ReturnType<FollowArguments<Answer>>,
    options: FollowOptions,
  ): Promise<Answer | undefined> {
    const journal = this.#kept.get(runId) ?? new SessionJournal(this.#options, runId);
    this.#kept.delete(runId);
    this.#kept.set(runId, journal);
    try {
      return await journal.follow<Answer>((...now) => look(journal, ...now), options);
    } finally {
      this.#trim();
    }
  }

  /** Ids of the runs whose journals are in memory. */
  get runs(): readonly string[] {
    return [...this.#kept.keys()];
  }

  /** Forgets the session that has ended, unless a request still waits for a call of it. */
  forget(runId: string): void {
    if (this.#kept.get(runId)?.isWaitedFor === false) this.#kept.delete(runId);
  }

  #trim(): void {
    let bytes = 0;
    for (const { weight } of this.#kept.values()) bytes += weight;
    for (const [runId, journal] of this.#kept) {
      const isTooMuch = bytes > this.#limits.bytes || this.#kept.size > this.#limits.count;
      if (journal.isWaitedFor || !(journal.isOver || isTooMuch)) continue;
      this.#kept.delete(runId);
      bytes -= journal.weight;
    }
  }
}

type FollowArguments<Answer> = Parameters<typeof SessionJournal.prototype.follow<Answer>>[0];
type FollowOptions = Parameters<SessionJournal['follow']>[1];
