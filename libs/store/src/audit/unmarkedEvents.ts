/**
 * Finds events without the mark of this installation. Only those from before its marks began need none. A journal whose
 * events all have marks costs no statement.
 */
import type { Pool } from 'pg';

import type { AuditKeys } from '../database/auditKeys.ts';
import { asUnavailable } from '../database/databaseError.ts';
import type { JournalHead, JournalStretch } from '../journal/readEvents.ts';
import { startHash } from './markCheck.ts';
import { type BegunMarks, readBegun } from './marksBegun.ts';

export class UnmarkedEvents {
  readonly #pool: Pool;
  readonly #keys: AuditKeys;
  /** Cached: marks that have begun never end. */
  #begun: BegunMarks | undefined;

  constructor(pool: Pool, keys: AuditKeys) {
    this.#pool = pool;
    this.#keys = keys;
  }

  /** The first event of the journal that should have a mark. Rejects with `UnavailableError`. */
  async firstForged(runId: string, stretch: JournalStretch): Promise<JournalHead | undefined> {
    const { unmarked } = stretch;
    if (unmarked.length === 0) return undefined;
    try {
      this.#begun ??= await readBegun(this.#pool, this.#keys);
      if (this.#begun === undefined) return unmarked[0];
      if (await this.#endedBefore(runId, stretch, this.#begun.seals)) return undefined;
      const start = await this.#start(runId);
      return unmarked.find(
        ({ seq, hash }) => start === undefined || seq > start.seq || (seq === start.seq && hash !== start.hash),
      );
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  /**
   * Whether the run had ended and was sealed before marks began. Who owns the database can say so of any run: of one that
   * has not ended it is not believed, since a worker would go on with it.
   */
  async #endedBefore(runId: string, { events, head }: JournalStretch, seals: number): Promise<boolean> {
    if (seals === 0 || head === undefined || events.at(-1)?.type !== 'run.finished') return false;
    const { rowCount } = await this.#pool.query(
      `select from sealed_run where run_id = $1 and seal <= $2 and seq = $3 and head = decode($4, 'hex')`,
      [runId, seals, head.seq, head.hash],
    );
    return rowCount === 1;
  }

  /** The last event of the journal when marks began. */
  async #start(runId: string): Promise<JournalHead | undefined> {
    const { rows } = await this.#pool.query<{ seq: number; head: string; mark: string }>(
      `select seq, encode(head, 'hex') as head, encode(mark, 'hex') as mark from mark_start
       where run_id = $1 and key = $2`,
      [runId, this.#keys.id],
    );
    const found = rows.find(({ mark, ...start }) => this.#keys.isMarked(startHash(runId, start), mark));
    return found && { seq: found.seq, hash: found.head };
  }
}
