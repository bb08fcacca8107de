/**
 * Finds events without the mark of this installation that were written after its marks began. A journal whose events all
 * have marks costs no statement.
 */
import type { Pool } from 'pg';

import { asUnavailable } from '../database/databaseError.ts';
import type { JournalHead } from '../journal/readEvents.ts';
import type { AuditKeys } from './auditKeys.ts';
import type { MarksBegun } from './markCheck.ts';
import { startHash } from './markCheck.ts';

export class UnmarkedEvents {
  readonly #pool: Pool;
  readonly #keys: AuditKeys;
  /** Cached: marks that have begun never end. */
  #begun: MarksBegun | undefined;

  constructor(pool: Pool, keys: AuditKeys) {
    this.#pool = pool;
    this.#keys = keys;
  }

  /** The first of the `unmarked` events that should have a mark. Rejects with `UnavailableError`. */
  async firstForged(runId: string, unmarked: readonly JournalHead[]): Promise<JournalHead | undefined> {
    if (unmarked.length === 0) return undefined;
    try {
      this.#begun ??= await this.#readBegin();
      if (this.#begun === undefined || (await this.#isSealedBefore(runId, this.#begun.seals))) return undefined;
      const start = await this.#start(runId);
      return unmarked.find(
        ({ seq, hash }) => start === undefined || seq > start.seq || (seq === start.seq && hash !== start.hash),
      );
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  async #readBegin(): Promise<MarksBegun | undefined> {
    const { rows } = await this.#pool.query<{ hash: string; mark: string | null; detail: string }>(
      `select encode(hash, 'hex') as hash, encode(mark, 'hex') as mark, detail::text as detail from audit_entry
       where action = 'audit.begun' and target = $1 order by seq`,
      [this.#keys.id],
    );
    const begun = rows.find(({ hash, mark }) => this.#keys.isMarked(hash, mark));
    return begun && (JSON.parse(begun.detail) as MarksBegun);
  }

  async #isSealedBefore(runId: string, seals: number): Promise<boolean> {
    const { rowCount } = await this.#pool.query('select from sealed_run where run_id = $1 and seal <= $2', [
      runId,
      seals,
    ]);
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
